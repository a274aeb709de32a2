#!/bin/sh
# Starts Redis with the password of its secret, which is on no command line, in no environment and in no file.
set -eu

password=$(cat /run/secrets/redis_password)
exec redis-server - <<SETTINGS
dir /data
appendonly yes
maxmemory-policy noeviction
requirepass $password
SETTINGS
