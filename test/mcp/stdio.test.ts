import { type CallToolResult, Client, type Progress } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome } from '../commands/program.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { adminToken } from '../kit/daemon.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, readNotes } from '../runs/run-kit.ts'
import { type ConnectOptions, createTestClient, holdPhone, readError, startNotes } from './mcp-client.ts'

const MAIN_FILE = join(import.meta.dirname, '..', '..', 'dist', 'main.js')
const INPUTS = { title: 'Over stdio', body: 'Written by a program' }

/** Connects the official client to the program. */
async function connectProgram(env: Record<string, string>, options: ConnectOptions = {}): Promise<Client> {
  const client = createTestClient(options)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN_FILE, 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('over stdio a client lists, finds and runs with progress, cancels, is asked, and is told of a new tool', async () => {
  const { daemon, url } = await startNotes()
  const env = { APPRENTICE_HOME: createHome(), APPRENTICE_PORT: new URL(url).port, APPRENTICE_TOKEN: adminToken }
  const questions: string[] = []
  const client = await connectProgram(env, {
    answer: (message) => {
      questions.push(message)
      return questions.length === 1
        ? { action: 'accept', content: { body: 'Told by the person' } }
        : { action: 'decline' }
    },
  })
  const run = (inputs: Record<string, string>, options = {}): Promise<CallToolResult> =>
    client.callTool({ name: 'run_ability', arguments: { ability_id: 'learned.add-note', inputs } }, options)

  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_ability')
  const found = await client.callTool({ name: 'find_abilities', arguments: { query: 'reply fast' } })
  expect(found.structuredContent).toMatchObject({ matches: [{ ability_id: 'learned.add-note' }] })

  const progress: Progress[] = []
  const ran = await run(INPUTS, { onprogress: (step: Progress) => progress.push(step) })
  expect(ran.structuredContent).toMatchObject({ state: 'success' })
  expect(readNotes(daemon).at(-1)).toEqual(INPUTS)
  expect(progress.map((step) => step.progress)).toEqual(progress.map((_, at) => at + 1))
  expect(progress.length).toBeGreaterThanOrEqual(addNote.steps.length)

  expect((await run({ title: 'Asked' })).structuredContent).toMatchObject({ state: 'success' })
  expect(readError(await run({ title: 'Asked again' })).code).toBe('RECIPE_INPUT_MISSING')
  expect(questions).toHaveLength(2)
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 2)

  const other = await connectProgram(env)
  let changes = 0
  other.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1
  })
  expect((await other.listTools()).tools.map(({ name }) => name)).not.toContain('ability_waiting')
  await installRecipes(daemon, { waiting: addNote })
  await eventually(
    async () => (await other.listTools()).tools.map(({ name }) => name),
    (listed) => listed.includes('ability_waiting'),
  )
  await eventually(
    () => changes,
    (count) => count > 0,
  )

  // The run waits for its phone, so that it is cancelled before it ends.
  const release = holdPhone(daemon)
  const abort = new AbortController()
  const running = client.callTool(
    { name: 'run_ability', arguments: { ability_id: 'learned.waiting', inputs: INPUTS } },
    { signal: abort.signal },
  )
  await eventually(
    () => countRows(daemon, 'ability_runs'),
    (count) => count === 3,
  )
  abort.abort()
  await expect(running).rejects.toThrow('abort')
  await eventually(
    () => daemon.events().filter(({ kind }) => kind === 'ability.run.settled'),
    (events) => events.some(({ payload }) => payload['state'] === 'cancelled'),
  )
  release()
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 2)
})

test('without a running daemon the program starts one with the simulated phone', async () => {
  const home = createHome()
  const client = await connectProgram({ APPRENTICE_HOME: home, APPRENTICE_PORT: '0', APPRENTICE_PHONE: 'simulated' })
  const listed = await client.callTool({ name: 'list_devices', arguments: {} })
  expect(listed.structuredContent).toMatchObject({ devices: [{ state: 'device' }] })
})
