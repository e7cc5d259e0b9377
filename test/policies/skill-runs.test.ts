import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSkillDaemon } from '../skill-runs/skill-daemon.ts'

const LAMP_APP = 'org.example.lamp'

/** Opens an app through the device program and prints its reply. */
const SCRIPT = `
  const { spawnSync } = require('node:child_process')
  const { writeFileSync } = require('node:fs')
  const { join } = require('node:path')
  const file = join(require('node:os').tmpdir(), 'payload.json')
  const actions = [{ id: 'open', type: 'open_app', params: { applicationId: '${LAMP_APP}' } }]
  writeFileSync(file, JSON.stringify({ timeoutMs: 20000, actions }))
  const [device] = process.argv.slice(2)
  const reply = spawnSync(process.env.CLAWPERATOR_BIN, ['execute', '--execution', file, '--device-id', device])
  console.log(reply.stdout.toString())`

test('the calls of a skill script are bound to the profile of the token that started the run', async () => {
  const simApps = join(import.meta.dirname, '..', 'devices', 'looks', 'apps')
  const { daemon, run, until } = await startSkillDaemon(SCRIPT, { config: { phone: 'simulated', simApps } })
  await daemon.listen()
  const serial = daemon.system.devices.phone.simulated?.serial ?? ''
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"state":"device"')
  const reply = await daemon.post('/api/tokens', { user_id: 'local', label: 'agent' })
  const { token, secret } = reply.json<{ token: { token_id: string }; secret: string }>()
  const put = (url: string, payload: object) => daemon.request({ method: 'PUT', url: `/api/policy/${url}`, payload })
  await put('profiles/no-lamp', { profile: { deny_packages: [LAMP_APP] } })
  await put(`tokens/${token.token_id}`, { profile_name: 'no-lamp' })

  const started = await daemon.post('/api/skills/com.test.it/run', { serial }, secret)
  expect(started.statusCode, started.body).toBe(202)
  const refused = await until(started.json<{ run: { run_id: string } }>().run.run_id, 'success')
  expect(JSON.parse(refused.stdout.text)).toMatchObject({
    code: 'POLICY_DENIED',
    details: { profile: 'no-lamp', rule: 'packages' },
  })
  expect(refused.execution_ids).toEqual([])

  const allowed = await run({ serial })
  expect(allowed.execution_ids).toHaveLength(1)
  const denied = await daemon.post('/api/skills/com.test.it/run', {
    serial,
    policy: { name: 'mine', deny_devices: [serial] },
  })
  expect(denied.json()).toMatchObject({
    error: { code: 'POLICY_DENIED', details: { profile: 'mine', rule: 'devices' } },
  })
})
