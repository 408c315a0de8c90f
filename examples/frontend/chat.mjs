// A conversation with `recuerdo serve` by LangGraph's JavaScript SDK. `show` gets all messages each time that one grows.
import { Client } from "@langchain/langgraph-sdk";

export async function openChat({ apiUrl, threadId, show, headers, assistant = "recuerdo" }) {
  const client = new Client({ apiUrl, defaultHeaders: headers }); // with authentication: { Authorization: "Bearer ..." }
  // A new thread, the one that is named, or a new one of this name: the server may have been started over an empty database.
  threadId = (await client.threads.create({ threadId, ifExists: "do_nothing" })).thread_id;
  let messages = (await client.threads.getState(threadId)).values?.messages ?? [];
  show(messages);

  return {
    threadId,
    async send(text) {
      const said = { id: crypto.randomUUID(), type: "human", content: text };
      show((messages = [...messages, said]));
      const input = { messages: [said] };
      for await (const { event, data } of client.runs.stream(threadId, assistant, { input, streamMode: ["messages", "values"] })) {
        if (event === "error") throw new Error(data.message);
        if (event === "values") messages = data.messages;
        if (event === "messages/partial") messages = [...messages.filter(({ id }) => id !== data[0].id), data[0]];
        show(messages);
      }
    },
  };
}
