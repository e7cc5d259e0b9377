import type { Client, Progress } from '@modelcontextprotocol/client'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { expect, test } from 'vitest'
import { eventually } from '../devices/driver/outcomes.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, pauses, readNotes } from '../runs/run-kit.ts'
import { startDaemon } from '../kit/daemon.ts'
import { createCorpusRoot } from '../skills/skill-roots.ts'
import { connectClient, readError, startNotes } from './mcp-client.ts'

const INPUTS = { title: 'From an agent', body: 'Written over MCP' }

test('a client finds, reads and runs an ability, with progress for each step and the outcome from the phone', async () => {
  const { daemon, url } = await startNotes()
  const client = await connectClient(url)
  const found = await client.callTool({
    name: 'find_abilities',
    arguments: { query: 'reply fast' },
  })
  expect(found.structuredContent).toMatchObject({
    matches: [{ ability_id: 'learned.add-note', usable_now: true, inputs: ['title', 'body'] }],
  })
  const described = await client.callTool({ name: 'describe_ability', arguments: { ability_id: 'learned.add-note' } })
  expect(described.structuredContent).toMatchObject({
    kind: 'runnable',
    inputs: [{ name: 'title' }, { name: 'body' }],
  })

  const progress: Progress[] = []
  const run = await client.callTool(
    { name: 'run_ability', arguments: { ability_id: 'learned.add-note', inputs: INPUTS } },
    { onprogress: (step) => progress.push(step) },
  )
  expect(run.structuredContent).toMatchObject({
    state: 'success',
    acted: true,
    verification: [{ verification_id: 'verify.written', held: true, observed: INPUTS.body }],
  })
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([INPUTS])
  expect(progress.length).toBeGreaterThanOrEqual(addNote.steps.length)
  expect(progress.map((step) => step.progress)).toEqual(progress.map((_, at) => at + 1))
  expect(countRows(daemon, 'use_receipts')).toBe(1)

  const { run_id } = run.structuredContent as { run_id: string }
  const again = await client.callTool({ name: 'get_run', arguments: { run_id } })
  expect(again.structuredContent).toEqual(run.structuredContent)
})

test('cancelling the request cancels the run', async () => {
  // Only a real pause lasts until the request is cancelled.
  const { daemon, url } = await startNotes({ quick: false })
  const wait = { id: 'wait', type: 'sleep' as const, params: { durationMs: 60_000 } }
  const waiting = { ...addNote, steps: [...pauses(1), wait, ...addNote.steps] }
  await installRecipes(daemon, { waiting })
  const client = await connectClient(url)
  const abort = new AbortController()
  const running = client.callTool(
    { name: 'run_ability', arguments: { ability_id: 'learned.waiting', inputs: INPUTS } },
    { signal: abort.signal, onprogress: () => abort.abort() },
  )
  await expect(running).rejects.toThrow('abort')
  const settled = await eventually(
    () => daemon.events().find(({ kind }) => kind === 'ability.run.settled'),
    (event) => event !== undefined,
  )
  expect(settled?.payload).toMatchObject({ state: 'cancelled' })
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)
})

test('a missing input is asked of the person where the client can ask, and refused where it cannot', async () => {
  const { daemon, url } = await startNotes()
  const questions: string[] = []
  const asking = await connectClient(url, {
    answer: (message) => {
      questions.push(message)
      return { action: 'accept', content: { body: 'Told by the person' } }
    },
  })
  const request = { name: 'run_ability', arguments: { ability_id: 'learned.add-note', inputs: { title: 'Asked' } } }
  expect((await asking.callTool(request)).structuredContent).toMatchObject({ state: 'success' })
  expect(questions).toHaveLength(1)
  expect(readNotes(daemon).at(-1)).toEqual({ title: 'Asked', body: 'Told by the person' })

  const declining = await connectClient(url, { answer: () => ({ action: 'decline' }) })
  const unable = await connectClient(url)
  for (const client of [declining, unable]) {
    const refused = await client.callTool(request)
    expect(refused.isError).toBe(true)
    expect(readError(refused).code).toBe('RECIPE_INPUT_MISSING')
  }
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)
})

test('the form for the person and the tool of an ability say what each input may be', async () => {
  const { daemon, url } = await startNotes()
  const inputs: Recipe['inputs'] = [
    ...addNote.inputs,
    { name: 'copies', type: 'integer[1,9]', required: true, summary: 'How many' },
    { name: 'color', type: 'string', required: true, choices: ['Red', 'Blue'] },
    { name: 'pinned', type: 'boolean', required: false, default: false },
  ]
  await installRecipes(daemon, { detailed: { ...addNote, inputs } })
  const properties = {
    title: { type: 'string' },
    body: { type: 'string' },
    copies: { type: 'integer', minimum: 1, maximum: 9, description: 'How many' },
    color: { type: 'string', enum: ['Red', 'Blue'] },
    pinned: { type: 'boolean', default: false },
  }
  const readSchema = async (client: Client) =>
    (await client.listTools()).tools.find(({ name }) => name === 'ability_detailed')?.inputSchema
  const unable = await connectClient(url)
  expect(await readSchema(unable)).toMatchObject({ properties, required: ['title', 'body', 'copies', 'color'] })

  const forms: unknown[] = []
  const answers: Record<string, string | number>[] = [
    { copies: 10, color: 'Red' },
    { copies: 2, color: 'Green' },
    { copies: 2, color: 'Red' },
  ]
  const asking = await connectClient(url, {
    answer: (_message, form) => {
      forms.push(form)
      return { action: 'accept', content: answers.shift() ?? {} }
    },
  })
  // What is missing is asked of the person, so the agent need not invent it.
  expect(await readSchema(asking)).toMatchObject({ properties, required: [] })
  const request = { name: 'ability_detailed', arguments: INPUTS }
  // An answer that does not fit the form is no answer.
  for (let n = 0; n < 2; n += 1) {
    expect(readError(await asking.callTool(request)).code).toBe('RECIPE_INPUT_MISSING')
  }
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)
  expect((await asking.callTool(request)).structuredContent).toMatchObject({ state: 'success' })
  expect(readNotes(daemon).at(-1)).toEqual(INPUTS)
  const { copies, color } = properties
  const form = { type: 'object', properties: { copies, color }, required: ['copies', 'color'] }
  expect(forms).toEqual([form, form, form])
})

test('a client that cannot show a form, or fails to, gets the refusal; one without modes is asked', async () => {
  const { daemon, url } = await startNotes()
  const request = { name: 'run_ability', arguments: { ability_id: 'learned.add-note', inputs: { title: 'Asked' } } }
  const asked: string[] = []
  const answerAs = (who: string) => () => {
    asked.push(who)
    if (who === 'failing') throw new Error('The form is broken.')
    return { action: 'accept' as const, content: { body: 'Told by the person' } }
  }
  const onlyPages = await connectClient(url, { answer: answerAs('only pages'), elicitation: { url: {} } })
  const failing = await connectClient(url, { answer: answerAs('failing') })
  for (const client of [onlyPages, failing]) {
    expect(readError(await client.callTool(request)).code).toBe('RECIPE_INPUT_MISSING')
  }
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)
  const older = await connectClient(url, { answer: answerAs('older'), elicitation: {} })
  expect((await older.callTool(request)).structuredContent).toMatchObject({ state: 'success' })
  expect(asked).toEqual(['failing', 'older'])
})

test('a purchase runs only if the person allows it for this run', async () => {
  const { daemon, url } = await startNotes()
  await installRecipes(daemon, { buy: { ...addNote, capabilities: [...addNote.capabilities, 'purchase_risk'] } })
  const request = { name: 'run_ability', arguments: { ability_id: 'learned.buy', inputs: INPUTS } }
  const refusing = await connectClient(url, { answer: () => ({ action: 'accept', content: { buy: false } }) })
  const declining = await connectClient(url, { answer: () => ({ action: 'decline' }) })
  const unable = await connectClient(url)
  for (const client of [refusing, declining, unable]) {
    expect(readError(await client.callTool(request)).code).toBe('POLICY_DENIED')
  }
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)
  // First the missing input is asked for, then the consent.
  const answers = [{ body: 'Told by the person' }, { buy: true }]
  const allowing = await connectClient(url, {
    answer: () => ({ action: 'accept', content: answers.shift() ?? {} }),
  })
  const { title } = INPUTS
  const lacking = { name: 'run_ability', arguments: { ability_id: 'learned.buy', inputs: { title } } }
  expect((await allowing.callTool(lacking)).structuredContent).toMatchObject({ state: 'success' })
  expect(readNotes(daemon).at(-1)).toEqual({ title, body: 'Told by the person' })
})

test('each usable ability is a tool of its own, and clients are told when one is installed', async () => {
  const { daemon, url } = await startNotes()
  const client = await connectClient(url)
  let changes = 0
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1
  })
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  expect(await names()).toContain('ability_add_note')
  expect(await names()).not.toContain('ability_second')
  const own = await client.callTool({ name: 'ability_add_note', arguments: INPUTS })
  expect(own.structuredContent).toMatchObject({ state: 'success' })
  expect(readNotes(daemon).at(-1)).toEqual(INPUTS)

  await installRecipes(daemon, { second: addNote })
  await eventually(names, (listed) => listed.includes('ability_second'))
  await eventually(
    () => changes,
    (count) => count > 0,
  )

  const told = changes
  const { statusCode } = await daemon.post('/api/abilities/learned.second/quarantine', { reason: 'it misbehaves' })
  expect(statusCode).toBe(200)
  await eventually(names, (listed) => !listed.includes('ability_second'))
  await eventually(
    () => changes,
    (count) => count > told,
  )
})

test('at most 64 abilities are tools, the same ones each time, and the others can still be found and run', async () => {
  const { daemon, url } = await startNotes()
  const slugs = Array.from({ length: 70 }, (_, at) => `note-${String(at).padStart(2, '0')}`)
  await installRecipes(daemon, Object.fromEntries(slugs.toReversed().map((slug) => [slug, addNote])))
  const client = await connectClient(url)
  const names = async () =>
    (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('ability_'))
  const expected = ['ability_add_note', ...slugs.slice(0, 63).map((slug) => `ability_${slug.replace('-', '_')}`)]
  expect(await names()).toEqual(expected)
  await installRecipes(daemon, { 'note-99': addNote })
  expect(await names()).toEqual(expected)
  const run = { name: 'run_ability', arguments: { ability_id: 'learned.note-99', inputs: INPUTS } }
  expect((await client.callTool(run)).structuredContent).toMatchObject({ state: 'success' })
})

test('a long list of a run is cut, and get_run returns the rest', async () => {
  const { daemon, url } = await startNotes()
  const client = await connectClient(url)
  const ran = await client.callTool({
    name: 'run_ability',
    arguments: { ability_id: 'learned.add-note', inputs: INPUTS },
  })
  const { run_id } = ran.structuredContent as { run_id: string }
  const titles = Array.from({ length: 45 }, (_, at) => `Title ${at}`)
  const outputs = JSON.stringify({ titles, total: 45 })
  await daemon.system.store.write((tx) => {
    tx.db.prepare(`UPDATE ability_runs SET outcome = json_set(outcome, '$.outputs', json(?))`).run(outputs)
  })
  const read = async (more: object) =>
    (await client.callTool({ name: 'get_run', arguments: { run_id, ...more } })).structuredContent
  expect(await read({})).toMatchObject({
    outputs: { titles: titles.slice(0, 20), total: 45 },
    more: [{ output: 'titles', total: 45, next_from: 20 }],
  })
  expect(await read({ output: 'titles', from: 20 })).toMatchObject({
    outputs: { titles: titles.slice(20, 40) },
    more: [{ output: 'titles', total: 45, next_from: 40 }],
  })
  const last = await read({ output: 'titles', from: 40 })
  expect(last).toMatchObject({ outputs: { titles: titles.slice(40) } })
  expect(last).not.toHaveProperty('more')
})

test('matches, skills and phones come in pages', async () => {
  const { daemon, url } = await startNotes()
  const names = Array.from({ length: 12 }, (_, at) => `note-${at}`)
  await installRecipes(daemon, Object.fromEntries(names.map((name) => [name, addNote])))
  const client = await connectClient(url)
  const find = async (from: number) => {
    const found = await client.callTool({ name: 'find_abilities', arguments: { query: 'reply fast', from } })
    return found.structuredContent as { matches: { ability_id: string; inputs: string[] }[]; next_from?: number }
  }
  const [first, second] = [await find(0), await find(10)]
  expect([first.matches.length, first.next_from]).toEqual([10, 10])
  expect([second.matches.length, second.next_from]).toEqual([3, undefined])
  expect(new Set([...first.matches, ...second.matches].map(({ ability_id }) => ability_id)).size).toBe(13)
  expect(second.matches[0]?.inputs).toEqual(['title', 'body'])

  const root = createCorpusRoot()
  const other = await startDaemon({ config: { skillRoots: [root] } })
  const skills = await connectClient((await other.listen()).url)
  const search = await skills.callTool({ name: 'list_skills', arguments: { words: 'com' } })
  expect(search.structuredContent).toMatchObject({ total: 24, skills: expect.objectContaining({ length: 24 }) })
  const beyond = await skills.callTool({ name: 'list_skills', arguments: { words: 'com', page: 2 } })
  expect(beyond.structuredContent).toEqual({ total: 24, skills: [] })
  const phones = await client.callTool({ name: 'list_devices', arguments: { from: 1 } })
  expect(phones.structuredContent).toEqual({ devices: [] })
})

test('a checkpoint that an agent reports is recorded like one over REST', async () => {
  const { daemon, url } = await startNotes()
  const client = await connectClient(url)
  const report = { checkpoint_id: 'saved', status: 'reached', dispatch_id: 'task-1' }
  const lacking = await client.callTool({ name: 'verify_checkpoint', arguments: report })
  expect(readError(lacking)).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('evidence') })
  const evidence = 'The list shows the note'
  const done = await client.callTool({ name: 'verify_checkpoint', arguments: { ...report, evidence } })
  expect(done.structuredContent).toMatchObject({ status: 'reached', receipt_id: expect.any(String) })
  expect(countRows(daemon, 'checkpoint_receipts')).toBe(1)
})

test('every tool has schemas and says whether it changes something', async () => {
  const { url } = await startNotes()
  const client = await connectClient(url)
  const { tools } = await client.listTools()
  for (const tool of tools) {
    expect(tool.inputSchema.type, tool.name).toBe('object')
    expect(tool.outputSchema?.type, tool.name).toBe('object')
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const) {
      expect(typeof tool.annotations?.[hint], `${tool.name} ${hint}`).toBe('boolean')
    }
    expect(tool.description?.length, tool.name).toBeGreaterThan(20)
  }
})
