import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { deviceQueueName } from '../../src/domain/devices/executions.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, installRecipes } from '../runs/run-kit.ts'

export interface ConnectOptions {
  readonly token?: string
  /** Answers questions to the person. Without it the client cannot ask. */
  readonly answer?: (message: string, form: Form) => Answer | Promise<Answer>
  /** How the client says that it can ask. By default it names the mode. */
  readonly elicitation?: ClientCapabilities['elicitation']
}

type Form = Readonly<Record<string, unknown>>

interface Answer {
  action: 'accept' | 'decline'
  content?: Record<string, string | number | boolean>
}

/** An official client that is not connected yet. */
export function createTestClient({ answer, elicitation = { form: {} } }: ConnectOptions): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: answer === undefined ? {} : { elicitation } },
  )
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      ...(await answer(params.message, 'requestedSchema' in params ? params.requestedSchema : {})),
    }))
  }
  return client
}

/** Connects the official client over a real socket and lists the tools. */
export async function connectClient(url: string, options: ConnectOptions = {}): Promise<Client> {
  const client = createTestClient(options)
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${options.token ?? adminToken}` } },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  // From now on the client holds each result to the output schema of its tool.
  await client.listTools()
  return client
}

/** A daemon with the simulated phone and the installed ability `learned.add-note`. */
export async function startNotes({ quick = true } = {}): Promise<{ daemon: Daemon; url: string }> {
  const daemon = await startDaemon({ quick, config: { phone: 'simulated' } })
  await eventually(
    async () => (await daemon.get('/api/devices')).json<{ devices: { state: string }[] }>().devices,
    (devices) => devices[0]?.state === 'device',
  )
  await installRecipes(daemon, { 'add-note': addNote })
  const { url } = await daemon.listen()
  return { daemon, url }
}

/** Keeps the simulated phone busy until the returned function is called. */
export function holdPhone({ system }: Daemon): () => void {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const serial = system.devices.phone.simulated?.serial ?? ''
  const access = { principal: 'test', priority: 0, signal: new AbortController().signal }
  void system.jobs.runInQueue(deviceQueueName(serial), access, () => held)
  return release
}

export const readText = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')

export const readError = (result: CallToolResult): { code: string; message: string } => {
  const { error } = result.structuredContent as { error: { code: string; message: string } }
  return error
}
