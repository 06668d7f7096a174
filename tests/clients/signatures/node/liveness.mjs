// Verifies proofs of liveness with the example in the document (jose). Input: the folder of the cases.
import { readFile } from "node:fs/promises";
import { isLive } from "./liveness_example.ts";

const results = [];
for (const [url, registry, endpoint] of JSON.parse(await readFile(`${process.argv[2]}/cases.json`, "utf8"))) {
  try {
    results.push(await isLive(url, registry, endpoint));
  } catch (error) {
    console.error(error);
    results.push(false);
  }
}
console.log(JSON.stringify(results));
