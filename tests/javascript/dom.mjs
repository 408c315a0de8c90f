// A DOM without a browser, for React. The network stays Node's own: that of the DOM keeps to the rules of a page's origin.
import { GlobalRegistrator } from "@happy-dom/global-registrator";

const network = ["fetch", "Request", "Response", "Headers", "AbortController", "AbortSignal"];
const streams = ["ReadableStream", "TransformStream", "TextDecoderStream"];
const own = Object.fromEntries([...network, ...streams].map((name) => [name, globalThis[name]]));
GlobalRegistrator.register({ url: "http://localhost/" });
Object.assign(globalThis, own);
