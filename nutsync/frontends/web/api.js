// Talking to the server: the cell that is chosen, the token, errors by name.

const KEPT = "nutsync.token";

let cell = "main";
let askForToken = () => Promise.reject(new Refusal("ErrToken", ""));

export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export function useCell(name) {
  cell = name;
}

export function onTokenNeeded(ask) {
  askForToken = ask;
}

export const token = {
  get: () => sessionStorage.getItem(KEPT),
  set: (secret) => sessionStorage.setItem(KEPT, secret),
  clear: () => sessionStorage.removeItem(KEPT),
};

function query(parameters) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "" && one !== false) search.append(name, one);
    }
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

async function send(method, path, { parameters, body, headers } = {}) {
  const secret = token.get();
  try {
    return await fetch(path + query(parameters), {
      method,
      headers: {
        ...(secret ? { Authorization: `Bearer ${secret}` } : {}),
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch {
    throw new Refusal("unreachable", "");
  }
}

/** Ask; where a token is needed, ask for it and then once more. Returns the response. */
async function ask(method, path, options) {
  const response = await send(method, path, options);
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: { code: "other", message: "" } }));
  if (error.code !== "ErrToken") throw new Refusal(error.code, error.message);
  await askForToken();
  return ask(method, path, options);
}

const here = (path) => `/cells/${encodeURIComponent(cell)}${path}`;

export const cells = async () => (await (await ask("GET", "/cells")).json()).cells;
export const get = async (path, parameters) => (await ask("GET", here(path), { parameters })).json();
export const post = async (path, body, headers) => (await ask("POST", here(path), { body, headers })).json();

/** Get a document and the tag by which a later change can be made on condition. */
export async function getTagged(path, parameters) {
  const response = await ask("GET", here(path), { parameters });
  return { document: await response.json(), tag: response.headers.get("ETag") };
}

/** Tell whether a token is let in. */
export async function letsIn(secret) {
  token.set(secret);
  const response = await send("GET", "/cells");
  if (!response.ok) token.clear();
  return response.ok;
}

/** Post, and read the server-sent events of the answer one by one. */
export async function* stream(path) {
  const response = await ask("POST", here(path), { headers: { Accept: "text/event-stream" } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block);
      const data = /^data: (.*)$/m.exec(block);
      if (event && data) yield { event: event[1], data: JSON.parse(data[1]) };
    }
  }
}

/** The path of an entry by its ref. */
export function entryPath(ref) {
  const [date, name] = ref.split("#");
  return `/days/${date}/${encodeURIComponent(name)}`;
}
