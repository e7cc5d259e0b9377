import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { importAndStage, runStep } from '../skill-import/import-kit.ts'
import { buildBundle } from '../skill-import/zip-builder.ts'
import { readServers, register } from './connector-kit.ts'

test('a server names the abilities whose bundles name it or its provider, and not those of others', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  const other = await register(daemon, { display_name: 'Other', provider: 'gmail_google' })
  const install = async (name: string, hint: string) => {
    const [document, ...files] = buildBundle(name)
    const content = String(document?.content).replace('\n---', `\nconnector_hints: [${hint}]\n---`)
    const { import_id } = await importAndStage(daemon, [{ name: 'SKILL.md', content }, ...files])
    await runStep(daemon, 'install-private', { import_id })
  }
  await install('uses-server', registry.server_id)
  await install('uses-provider', 'custom_remote')
  const list = async () =>
    (await readServers(daemon)).map(({ registry: { server_id }, linked_abilities }) => [
      server_id,
      linked_abilities.map(({ ability_id, relation }) => [ability_id.split('.').at(-1), relation]),
    ])
  expect(Object.fromEntries(await list())).toEqual({
    [registry.server_id]: [
      ['uses-server', 'primary'],
      ['uses-provider', 'suggested'],
    ],
    [other.registry.server_id]: [],
  })
  const stranger = await daemon.tokenFor('somebody')
  const seen = await daemon.get('/api/mcp/servers', stranger)
  const { servers } = seen.json<{ servers: { linked_abilities: object[] }[] }>()
  expect(servers.flatMap(({ linked_abilities }) => linked_abilities)).toEqual([])
})
