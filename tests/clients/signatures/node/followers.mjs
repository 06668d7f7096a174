// Follows changes with an event source. Input: the URL, and how many changes to wait for. It then listens for ten seconds more, in
// which the event source connects again.
import { EventSource } from "eventsource";

const [url, wanted] = process.argv.slice(2);
const source = new EventSource(url);
const received = [];
const finish = () => {
  source.close();
  console.log(JSON.stringify(received));
};
for (const type of ["listing_live", "listing_tools_changed", "listing_renamed", "listing_name_proven", "listing_demoted"]) {
  source.addEventListener(type, (event) => {
    received.push({ ...JSON.parse(event.data), id: Number(event.lastEventId) });
    if (received.length === Number(wanted)) setTimeout(finish, 10_000);
  });
}
