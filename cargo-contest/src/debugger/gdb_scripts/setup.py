"""What the tool says: files of the request and the replies, whose code is not the user's, and a socket, if any."""

import json
import os

SETUP = json.loads(os.environ["CONTEST_DEBUG_SETUP"])
