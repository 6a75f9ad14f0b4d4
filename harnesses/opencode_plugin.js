// The lane's plugin for OpenCode. It tells on stdout what the program's own stream leaves out: each request to the provider with
// the usage that came back, subagents' steps, retries, and the end. It keeps the provider's key from the commands, keeps instruction
// files of the task repository from the model, and puts what the lane's hook brings before the model at the next step boundary.
import { spawn } from "node:child_process"

const take = (name) => {
  const value = process.env[name] ?? ""
  delete process.env[name]
  return value
}
const key = take("CROSSTALK_MODEL_KEY")
const hook = take("CROSSTALK_HOOK")
const PROVIDER = "lane"
const HOOK_MILLISECONDS = 60_000
const REPOSITORYS_WORDS = "\n</content>\n\n<system-reminder>\n"

// Nothing is said before the first request, or the end: until then the program is still starting.
const held = []
const say = (event, fields) => {
  held.push(JSON.stringify({ type: "lane", event, ...fields }) + "\n")
  if (requests > 0 || ["error", "idle"].includes(event)) process.stdout.write(held.splice(0).join(""))
}
const subagents = new Set()
const statuses = new Map()
const settled = new Set() // calls at whose end the hook was asked
const late = new Map() // what it brought where the program has no place for it: it is put there before each request
let requests = 0

// What a hook wants the model to see. What one that failed has printed does not count.
const boundary = (name) =>
  new Promise((resolve) => {
    const child = spawn("sh", ["-c", `${hook} ${name}`], { stdio: ["pipe", "pipe", "ignore"], timeout: HOOK_MILLISECONDS })
    const pieces = []
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ hook_event_name: name }))
    child.stdout.on("data", (piece) => pieces.push(piece))
    child.on("error", () => resolve(""))
    child.on("close", (code) => {
      try {
        resolve(code === 0 ? (JSON.parse(Buffer.concat(pieces)).hookSpecificOutput?.additionalContext ?? "") : "")
      } catch {
        resolve("")
      }
    })
  })

// Follows an answer on its way to the program: its usage, and whether it came to its end.
const follow = (answer, id) => {
  const decoder = new TextDecoder()
  let whole // one object, and no stream of events, whatever its header calls it
  let rest = ""
  let usage = null
  let finished = false
  let told = false
  const end = (state) => {
    if (!told) say("request", { id, state, usage })
    told = true
  }
  const look = (data) => {
    try {
      const chunk = JSON.parse(data)
      if (chunk.usage && (chunk.usage.completion_tokens ?? 0) >= (usage?.completion_tokens ?? 0)) usage = chunk.usage
      finished ||= (chunk.choices ?? []).some((choice) => choice.finish_reason)
    } catch {
      return // what is no JSON holds no usage
    }
  }
  const read = (piece) => {
    rest += piece
    whole ??= rest.trim() ? rest.trimStart().startsWith("{") : undefined
    if (whole) return
    const lines = rest.split("\n")
    rest = lines.pop()
    for (const line of lines) {
      const data = line.startsWith("data:") ? line.slice(5).trim() : ""
      if (data === "[DONE]") end("answered")
      else if (data) look(data)
    }
  }
  const reader = answer.body.getReader()
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (value) read(decoder.decode(value, { stream: true }))
        if (done && whole) look(rest)
        if (done) end(finished ? "answered" : "broken")
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        end("broken")
        controller.error(error)
      }
    },
    cancel(reason) {
      end("broken")
      return reader.cancel(reason)
    },
  })
  return new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers })
}

const ask = async (address, options) => {
  const id = ++requests
  const headers = new Headers(options?.headers)
  headers.set("authorization", `Bearer ${key}`)
  say("request", { id, state: "asked" })
  let answer
  try {
    answer = await fetch(address, { ...options, headers })
  } catch (error) {
    say("request", { id, state: "unanswered", reason: String(error?.code ?? error?.message ?? error) })
    throw error
  }
  if (!answer.ok || !answer.body) say("request", { id, state: "refused", status: answer.status })
  return answer.ok && answer.body ? follow(answer, id) : answer
}

const partSeen = (part) => {
  const side = subagents.has(part.sessionID)
  if (part.type === "step-finish") say("step", { id: part.id, side, tokens: part.tokens })
  // The program's own stream has the texts and outputs of the main session.
  if (part.type === "text" && side && part.time?.end) say("text", { side, text: part.text })
  if (part.type !== "tool" || part.state.status === "pending" || statuses.get(part.callID) === part.state.status) return
  const { status, input, output, error } = part.state
  statuses.set(part.callID, status)
  say("tool", { call: part.callID, side, tool: part.tool, status, input, output: side ? (output ?? error) : undefined })
}

const seen = {
  "session.created": ({ info }) => {
    if (info.parentID) subagents.add(info.id)
    else say("session", { session: info.id })
  },
  "session.status": ({ sessionID, status }) => {
    if (status.type === "retry") say("retry", { side: subagents.has(sessionID), reason: status.message })
  },
  "session.error": ({ sessionID, error }) => {
    const { message, statusCode } = error?.data ?? {}
    say("error", { side: subagents.has(sessionID), name: error?.name, reason: message, status: statusCode })
  },
  "session.idle": ({ sessionID }) => {
    if (!subagents.has(sessionID)) say("idle", {})
  },
  "message.part.updated": ({ part }) => partSeen(part),
}

const put = (part) => {
  const words = late.get(part.callID)
  const place = part.state.status === "error" ? "error" : "output"
  if (!String(part.state[place]).endsWith(words)) part.state[place] = `${part.state[place]}\n\n${words}`
}

export default async () => {
  say("loaded", {})
  return {
    auth: { provider: PROVIDER, methods: [], loader: async () => ({ apiKey: "-", fetch: ask }) },
    event: async ({ event }) => seen[event.type]?.(event.properties),
    "tool.execute.after": async ({ tool, sessionID, callID }, output) => {
      if (tool === "read" && output?.metadata?.loaded?.length) {
        const at = output.output.indexOf(REPOSITORYS_WORDS)
        if (at >= 0) output.output = output.output.slice(0, at) + "\n</content>"
      }
      if (!hook || subagents.has(sessionID) || typeof output?.output !== "string") return
      settled.add(callID)
      const words = await boundary("PostToolUse")
      if (words) output.output += `\n\n${words}`
    },
    // A call that failed has no event of its own; this comes right before the next request.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const part of hook ? (messages.at(-1)?.parts ?? []) : []) {
        const ended = part.type === "tool" && ["completed", "error"].includes(part.state.status)
        if (!ended || settled.has(part.callID) || subagents.has(part.sessionID)) continue
        settled.add(part.callID)
        const words = await boundary("PostToolUse")
        if (words) late.set(part.callID, words)
      }
      for (const { parts } of messages) for (const part of parts) if (late.has(part.callID)) put(part)
    },
  }
}
