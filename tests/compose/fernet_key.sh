# The steps that change the Fernet key, less those that need an engine. test_settings.py runs each section as it stands.
# shellcheck shell=sh

# [start:add]
new="$(head -c 32 /dev/urandom | base64 | tr '+/' '-_')"
old="$(cat secrets/fernet_key)"
printf '%s,%s' "$new" "$old" > secrets/fernet_key
# [end:add]

# [start:leave]
new="$(cut -d , -f 1 secrets/fernet_key)"
printf '%s' "$new" > secrets/fernet_key
# [end:leave]
