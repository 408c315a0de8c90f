// A program that appends one message after the other, and prints what it was told, until its input ends.
import { Client } from "../dist/index.js";

const [url, user] = process.argv.slice(2);
const thread = new Client(url, { user, retryFor: 120_000 }).thread("t");
let isOver = false;
process.stdin.on("end", () => (isOver = true)).resume();
for (let number = 0; !isOver; number++) {
  const { ids } = await thread.append({ role: "user", content: String(number) });
  console.log(ids[0]);
}
process.exit(0);
