import { expect, test } from 'vitest'
import { findChanges } from '../../src/mcp/resources.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { ABILITY_ID, installProposal } from '../install/install-kit.ts'
import { startDaemon } from '../kit/daemon.ts'
import { connectClient, startNotes } from './mcp-client.ts'

const SKILL = `apprentice://abilities/${ABILITY_ID}/SKILL.md`
const AVAILABILITY = 'apprentice://availability'
const RUNTIME = 'apprentice://runtime'

test('resources are read and followed, as far as the user of the token may see them', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const follow = async (token: string) => {
    const client = await connectClient(url, { token })
    const told: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri)
    })
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      told.push('list')
    })
    await client.subscribeResource({ uri: RUNTIME })
    return { client, told }
  }
  const own = await follow(await daemon.tokenFor('local'))
  const other = await follow(await daemon.tokenFor('bob'))
  await own.client.subscribeResource({ uri: AVAILABILITY })
  await other.client.subscribeResource({ uri: AVAILABILITY })
  await other.client.unsubscribeResource({ uri: AVAILABILITY })
  await installProposal(daemon)
  await eventually(
    () => own.told,
    (told) => ['list', AVAILABILITY, RUNTIME].every((uri) => told.includes(uri)),
  )

  const { resources } = await own.client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([AVAILABILITY, RUNTIME, SKILL])
  const [skill] = (await own.client.readResource({ uri: SKILL })).contents
  expect(skill).toMatchObject({ uri: SKILL, mimeType: 'text/markdown', text: expect.stringMatching(/^---\n/) })
  const [snapshot] = (await own.client.readResource({ uri: AVAILABILITY })).contents
  expect(JSON.parse((snapshot as { text: string }).text)).toMatchObject({ abilities: [{ ability_id: ABILITY_ID }] })
  expect((await own.client.listResourceTemplates()).resourceTemplates).toHaveLength(1)

  expect((await other.client.listResources()).resources.map(({ uri }) => uri)).not.toContain(SKILL)
  await expect(other.client.readResource({ uri: SKILL })).rejects.toThrow('not found')
  await expect(other.client.subscribeResource({ uri: SKILL })).rejects.toThrow('not found')
  expect((await other.client.readResource({ uri: RUNTIME })).contents[0]).toMatchObject({ text: 'null' })
  // The other user is told of own changes, so the silence before was no lost message.
  await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' }, await daemon.tokenFor('bob'))
  await eventually(
    () => other.told,
    (told) => told.length > 0,
  )
  expect(new Set(other.told)).toEqual(new Set([RUNTIME]))
})

test('a new version changes its SKILL.md, and a run changes no list', () => {
  const payload = { ability_id: ABILITY_ID }
  expect(findChanges([{ kind: 'ability.registered', payload }])).toEqual({
    tools: true,
    resources: true,
    updated: new Set([AVAILABILITY, SKILL]),
  })
  expect(findChanges([{ kind: 'ability.removed', payload }])).toMatchObject({ tools: true, resources: true })
  expect(findChanges([{ kind: 'ability.run.started', payload }])).toEqual({
    tools: false,
    resources: false,
    updated: new Set(),
  })
})

test('a setting of the token decides whether each ability is a tool, and open sessions are told', async () => {
  const { daemon, url } = await startNotes()
  const body = { user_id: 'local', label: 'agent', privilege: 'write', ability_tools: false }
  const issued = (await daemon.post('/api/tokens', body)).json<{ secret: string; token: { token_id: string } }>()
  const client = await connectClient(url, { token: issued.secret })
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  let changes = 0
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1
  })
  expect(await names()).not.toContain('ability_add_note')
  const changed = await daemon.request({
    method: 'PATCH',
    url: `/api/tokens/${issued.token.token_id}`,
    payload: { ability_tools: true },
  })
  expect(changed.json()).toMatchObject({ token: { ability_tools: true } })
  await eventually(
    () => changes,
    (count) => count > 0,
  )
  expect(await names()).toContain('ability_add_note')
  const unknown = await daemon.request({
    method: 'PATCH',
    url: '/api/tokens/00000000-0000-4000-8000-000000000000',
    payload: { ability_tools: true },
  })
  expect(unknown.json()).toMatchObject({ error: { code: 'TOKEN_NOT_FOUND' } })
})
