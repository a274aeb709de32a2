"""A real runtime on loopback: chopsticks runs Westend's first one, and blocks are built when a test says so."""

import json
import os
import signal
import subprocess
import threading

from packages import westend_specification
from substrateinterface import Keypair, SubstrateInterface

from tests.support.npm import MODULES, program
from tests.support.programs import free_port

GENESIS_SLOT = 1_700_000_000_000 // 6000
SLOT_MILLISECONDS = 6000
_START_SECONDS = 60


class Chopsticks:
    """One node; `start` after `stop` begins at the genesis again, on the same port."""

    def __init__(self, folder):
        self._specification = folder / "westend.json"
        self._specification.write_text(json.dumps(westend_specification()))
        self.port = free_port()
        self._log = (folder / "chopsticks.log").open("w+")
        self._process = None
        self.library = None

    def url(self, scheme):
        return f"{scheme}://127.0.0.1:{self.port}"

    def start(self):
        command = [
            *(program("node"), str(MODULES / "@acala-network/chopsticks/chopsticks.cjs")),
            *("--chain-spec", str(self._specification), "--host", "127.0.0.1", "--port", str(self.port)),
            *("--build-block-mode", "Manual", "--mock-signature-host"),
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        listening = threading.Event()
        threading.Thread(target=self._read, args=(self._process, listening), daemon=True).start()
        if not listening.wait(_START_SECONDS) or self._process.poll() is not None:
            self.stop()
            self._log.seek(0)
            raise AssertionError(f"chopsticks did not start:\n{self._log.read()[-4000:]}")
        self.library = _connected(self.url("ws"))
        self.set({"Staking": {"ForceEra": "NotForcing"}, "Babe": {"GenesisSlot": GENESIS_SLOT}})

    def stop(self):
        if self.library is not None:
            self.library.close()
            self.library = None
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)
            self._process = None

    def close(self):
        self.stop()
        self._log.close()

    def set(self, storage):
        """Write into the newest block's state."""
        self.library.rpc_request("dev_setStorage", [storage])

    def build(self, slot, *extrinsics):
        """Build one block with these extrinsics, `slot` slots after the chain's first."""
        number = GENESIS_SLOT + slot
        self.set({"Timestamp": {"Now": (number - 1) * SLOT_MILLISECONDS}, "Babe": {"CurrentSlot": number}})
        # The relay chain's runtime wants this inherent in each block.
        heads = self.library.compose_call("Parachains", "set_heads", {"heads": []})
        inherent = b"\x04" + bytes(heads.data.data)
        extrinsic = "0x" + (bytes([len(inherent) << 2]) + inherent).hex()
        self.library.rpc_request("dev_newBlock", [{"count": 1, "transactions": [extrinsic, *extrinsics]}])

    def signed(self, signer, pallet, call, params):
        """An extrinsic in the name of an account; the node takes this signature for that of anybody."""
        composed = self.library.compose_call(pallet, call, params)
        signature = "0x01deadbeef" + "cd" * 60
        account = Keypair(ss58_address=signer, ss58_format=42)
        return self.library.create_signed_extrinsic(composed, account, signature=signature).data.to_hex()

    def write(self, pallet, item, argument, value):
        """Write one entry of a map into the newest block's state, as bytes."""
        key = self.library.create_storage_key(pallet, item, [argument]).to_hex()
        self.library.rpc_request("dev_setStorage", [[[key, "0x" + value.hex()]]])

    def erase(self, pallet, item, argument):
        """Remove one entry of a map from the newest block's state."""
        key = self.library.create_storage_key(pallet, item, [argument]).to_hex()
        self.library.rpc_request("dev_setStorage", [[[key, None]]])

    def refuses(self, extrinsic):
        """Whether the runtime would refuse an extrinsic that it may otherwise include."""
        result = self.library.rpc_request("system_dryRun", [extrinsic])["result"]
        assert result.startswith("0x00"), f"it may not be included: {result}"
        return not result.startswith("0x0000")

    def query(self, item, *arguments):
        """What substrate-interface itself reads, by the runtime's metadata, over a connection of its own."""
        self.library.init_runtime()
        return self.library.query("Staking", item, list(arguments)).value

    def _read(self, process, listening):
        assert process.stdout
        with process.stdout as lines:
            for line in lines:
                if not self._log.closed:
                    self._log.write(line)
                if "RPC listening" in line:
                    listening.set()
        listening.set()


def _connected(url):
    # This metadata does not describe its types: some are those of the time.
    account = {"type": "struct", "type_mapping": [["nonce", "Index"], ["refcount", "u8"], ["data", "AccountData"]]}
    types = {"Address": "AccountIdAddress", "LookupSource": "AccountIdAddress", "AccountInfo": account}
    return SubstrateInterface(
        url=url,
        ss58_format=42,
        type_registry_preset="westend",
        type_registry={"types": types},
        ws_options={"timeout": 60},
    )
