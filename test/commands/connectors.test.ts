import { expect, test } from 'vitest'
import { startAuthorizationServer } from '../connectors/authorization-server.ts'
import { createProfile, readServers, register } from '../connectors/connector-kit.ts'
import { SCOPES, sendCallback, visitPage } from '../connectors/sign-in-kit.ts'
import { startToolServer } from '../connectors/tool-server.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { runProgram, startProgram } from './program.ts'

async function startWithCommands() {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const run = (...args: string[]) => runProgram(['connectors', ...args, '--url', url], { APPRENTICE_TOKEN: adminToken })
  return { daemon, url, run }
}

test('a server is added, tested, given a policy, listed and removed on the command line', async () => {
  const { daemon, run } = await startWithCommands()
  const remote = await startToolServer()
  // Only the server that is a part of the program.
  expect((await run('list')).stdout).toMatch(/^SERVER[^\n]*\n[^\n]*Acrobat[^\n]*\n$/)
  const added = await run('add', 'My notes', '--endpoint', remote.url)
  expect(added.code, added.stderr).toBe(0)
  const [server] = await readServers(daemon)
  const id = server?.registry.server_id ?? ''
  expect(added.stdout).toContain(`connectors test ${id}`)
  const tested = await run('test', 'My notes', '--accept-tools')
  expect(tested.stdout).toContain('passed: The server answered and offers 2 tools.')
  expect(tested.stdout).toMatch(/read_note +may be called/)
  expect((await readServers(daemon))[0]?.registry.supported_tools).toEqual(['read_note', 'write_note'])
  expect((await run('policy', id, 'ask_first')).stdout).toBe('My notes: ask_first\n')
  expect((await run('policy', id, 'enabled', '--tool', 'write_note')).stdout).toContain(
    'write_note: ask_first (decided for the server)',
  )
  expect((await run('policy', id, 'default')).stdout).toBe('My notes: enabled\n')
  expect((await run('list')).stdout).toMatch(/My notes +connected +healthy +enabled +2/)
  expect((await run('remove', id)).stdout).toBe(`Removed ${id}.\n`)
  expect(await readServers(daemon)).toEqual([])
})

test('Microsoft 365 is added without an address, with a profile by which a person signs in', async () => {
  const { daemon, run } = await startWithCommands()
  const profile = ['--auth', 'person', '--client-id', 'app', '--tenant', 'contoso', '--scope', 'Mail.Read']
  const back = ['--redirect-uri', 'https://apprentice.example/callback']
  const added = await run('add', 'Mail', '--provider', 'm365', '--tool', 'outlook_mail_search', ...profile, ...back)
  expect([added.code, added.stderr]).toEqual([0, ''])
  const [server] = await readServers(daemon)
  expect(server?.registry).toMatchObject({ transport: 'provider_native', supported_tools: ['outlook_mail_search'] })
  expect(server?.auth).toMatchObject({
    auth_mode: 'oauth2_delegated',
    redirect_uri: back[1],
    scopes_missing: ['Mail.Read'],
  })
  expect(added.stdout).toContain(`connectors connect ${server?.registry.server_id}`)
})

test('what cannot be done is one line and an exit code', async () => {
  const { daemon, run } = await startWithCommands()
  const remote = await startToolServer()
  for (const name of ['Twins', 'Twins']) await register(daemon, { display_name: name, endpoint_url: remote.url })
  const expectFailure = async (args: string[], text: string) => {
    const { code, stderr, stdout } = await run(...args)
    expect([code, stderr + stdout]).toEqual([1, expect.stringContaining(text)])
  }
  await expectFailure(['test', 'nobody'], 'No connector server is nobody. There are: ')
  await expectFailure(['remove', 'Twins'], 'Several connector servers are called Twins.')
  await expectFailure(['add', 'Inner', '--endpoint', 'https://10.0.0.1/mcp'], 'MCP_ENDPOINT_NOT_ALLOWED')
  const [first] = await readServers(daemon)
  await expectFailure(['policy', first?.registry.server_id ?? '', 'open'], 'open is no mode.')
  remote.status = 500
  await expectFailure(['test', first?.registry.server_id ?? ''], 'failed: The server answered with 500.')
  expect(await readServers(daemon)).toHaveLength(2)
})

test('connect prints a link, waits for the person and says how the sign-in ended', async () => {
  const { daemon, url } = await startWithCommands()
  const authority = await startAuthorizationServer()
  const remote = await startToolServer()
  authority.protect(remote)
  const auth_profile_id = await createProfile(daemon, { scopes: SCOPES, redirect_uri: 'http://127.0.0.1/callback' })
  const { registry } = await register(daemon, { endpoint_url: remote.url, auth_profile_id })
  const { server_id } = registry
  const program = startProgram(['connectors', 'connect', server_id, '--url', url], { APPRENTICE_TOKEN: adminToken })
  const link = /https?:\/\/\S+/.exec(await program.waitForError('Waiting'))?.[0] ?? ''
  expect(link).toContain('code_challenge_method=S256')
  await sendCallback(daemon, await visitPage({ server_id, auth_url: link } as Parameters<typeof visitPage>[0]))
  const { code, stdout, stderr } = await program.ended
  expect([code, stdout], stderr).toEqual([0, 'Signed in.\n'])
  expect((await readServers(daemon))[0]?.auth?.auth_state).toBe('healthy')
})
