import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Phone } from '@apprentice/phone/phone.ts'
import { adminToken } from '../kit/daemon.ts'
import { startSkillDaemon, type SkillSpec, buildResultScript, SKILL_ID, type SkillDaemon } from './skill-daemon.ts'

const SIM_APPS_FOLDER = join(import.meta.dirname, '..', 'devices', 'looks', 'apps')
const LAMP_APP = 'org.example.lamp'

/** A script as written for the peer: it writes a payload to a file and passes it to the device program. */
const buildCallingScript = (actions: object[], then: string, commandId = 'same-every-time') => `
  const { execFileSync, spawnSync } = require('node:child_process')
  const { writeFileSync } = require('node:fs')
  const { join } = require('node:path')
  const [device] = process.argv.slice(2)
  const file = join(require('node:os').tmpdir(), 'payload.json')
  writeFileSync(file, JSON.stringify({
    commandId: '${commandId}', taskId: 'task', source: 'script', expectedFormat: 'android-ui-automator',
    timeoutMs: 20000, actions: ${JSON.stringify(actions)},
  }))
  const reply = spawnSync(process.env.CLAWPERATOR_BIN,
    ['execute', '--execution', file, '--device-id', device, '--receiver-package', process.env.CLAWPERATOR_OPERATOR_PACKAGE],
    { encoding: 'utf8' })
  const result = JSON.parse(reply.stdout)
  ${then}`

const OPEN = { id: 'open', type: 'open_app', params: { applicationId: LAMP_APP } }
const ORDER = { id: 'order', type: 'click', params: { matcher: { text: 'Order' } } }
const SNAPSHOT = { id: 'look', type: 'snapshot' }

async function startWithPhone(script: string | SkillSpec): Promise<SkillDaemon & { phone: Phone }> {
  const shop = await startSkillDaemon(script, {
    config: { phone: 'simulated', simApps: SIM_APPS_FOLDER },
  })
  await shop.daemon.listen()
  const phone = shop.daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('the daemon brought no phone')
  await expect
    .poll(async () => (await shop.daemon.get('/api/devices')).json())
    .toMatchObject({ devices: [{ serial: phone.serial, state: 'device' }] })
  return { ...shop, phone }
}

const readOrders = (phone: Phone) => phone.state(LAMP_APP).saved['orders']

test('a script acts on the phone through CLAWPERATOR_BIN, and the call is an execution', async () => {
  const { run, phone, daemon } = await startWithPhone(
    buildCallingScript(
      [OPEN, ORDER, SNAPSHOT],
      `
      const [, , closed] = result.envelope.stepResults
      console.log(JSON.stringify({
        code: reply.status, id: result.envelope.commandId, device: result.deviceId, source: result.terminalSource,
        terminal: result.isCanonicalTerminal, xml: closed.data.text.includes('<hierarchy'),
      }))`,
    ),
  )
  const settled = await run({ serial: phone.serial })

  expect(JSON.parse(settled.stdout.text)).toEqual({
    code: 0,
    id: 'same-every-time',
    device: phone.serial,
    source: 'clawperator_result',
    terminal: true,
    xml: true,
  })
  expect(settled).toMatchObject({ state: 'success', serial: phone.serial })
  expect(readOrders(phone)).toBe(1)
  expect(settled.execution_ids).toHaveLength(1)
  const [executionId] = settled.execution_ids
  const reply = await daemon.get(`/api/executions/${executionId}`)
  expect(reply.json()).toMatchObject({ execution: { state: 'succeeded', serial: phone.serial } })
})

test('a command id reused in another run is executed again', async () => {
  const { run, phone } = await startWithPhone(buildCallingScript([OPEN, ORDER], 'process.exit(reply.status)'))
  await run({ serial: phone.serial })
  await run({ serial: phone.serial })
  expect(readOrders(phone)).toBe(2)
})

test('the device is leased during the run: its own calls pass and other users are refused', async () => {
  const { start, until, phone, daemon } = await startWithPhone(
    buildCallingScript(
      [OPEN],
      `
      console.log('ready')
      setTimeout(() => {
        const again = spawnSync('clawperator', ['click', '--text', 'Order', '--device', device], { encoding: 'utf8' })
        process.exit(again.status)
      }, 1500)`,
    ),
  )
  const other = await daemon.tokenFor('somebody')
  const readAsOther = () => daemon.post(`/api/devices/${phone.serial}/snapshot`, {}, other)
  const started = await start({ serial: phone.serial })
  await expect
    .poll(async () => (await daemon.get(`/api/skills/runs/${started.run_id}`)).json())
    .toMatchObject({ run: { execution_ids: [expect.anything()] } })

  expect((await readAsOther()).json()).toMatchObject({ error: { code: 'DEVICE_LEASED' } })
  const settled = await until(started.run_id, 'success')
  expect(settled.execution_ids).toHaveLength(2)
  expect(readOrders(phone)).toBe(1)
  expect((await readAsOther()).statusCode).toBe(200)
})

test('a device leased by another user is refused, and no run is created', async () => {
  const { daemon, phone } = await startWithPhone(`console.log('never')`)
  const other = await daemon.tokenFor('somebody')
  await daemon.post(`/api/devices/${phone.serial}/lease`, { duration_ms: 600_000 }, other)
  const reply = await daemon.post(`/api/skills/${SKILL_ID}/run`, { serial: phone.serial })
  expect(reply.json()).toMatchObject({ error: { code: 'DEVICE_LEASED' } })
  expect((await daemon.get(`/api/skills/${SKILL_ID}/runs`)).json()).toMatchObject({ total: 0 })
})

test('a lease that the owner holds stays after the run', async () => {
  const { daemon, run, phone } = await startWithPhone(buildCallingScript([OPEN], 'process.exit(reply.status)'))
  const url = `/api/devices/${phone.serial}`
  await daemon.post(`${url}/lease`, { duration_ms: 1000, purpose: 'mine' })
  expect(await run({ serial: phone.serial })).toMatchObject({ state: 'success' })
  expect((await daemon.get(url)).json()).toMatchObject({ lease: { purpose: 'mine' } })
})

test('a failed step gives exit code 1, skips later steps and makes the run indeterminate', async () => {
  const missing = {
    id: 'miss',
    type: 'click',
    params: { matcher: { text: 'Nowhere' }, retry: { maxAttempts: 1 } },
  }
  const { run, phone } = await startWithPhone(
    buildCallingScript(
      [OPEN, missing, ORDER],
      `console.log(reply.status, result.envelope.status, result.envelope.stepResults[1].data.error)
      process.exit(0)`,
    ),
  )
  const settled = await run({ serial: phone.serial })
  expect(settled.stdout.text).toBe('1 failed NODE_NOT_FOUND\n')
  expect(readOrders(phone)).toBe(0)
  // The script exited with 0 after its last call had failed, without a result.
  expect(settled).toMatchObject({
    state: 'indeterminate',
    outcome: { exit_code: 0, trouble: { code: 'SKILL_VERIFICATION_INDETERMINATE' } },
  })
})

test('cancelling a run cancels its execution', async () => {
  const sleep = { id: 'rest', type: 'sleep', params: { durationMs: 15_000 } }
  const { start, until, read, daemon, phone } = await startWithPhone(
    buildCallingScript([OPEN, sleep, ORDER], 'process.exit(0)'),
  )
  const { run_id } = await start({ serial: phone.serial })
  await expect.poll(async () => (await read(run_id)).execution_ids.length).toBe(1)
  const reply = await daemon.post(`/api/skills/runs/${run_id}/cancel`)
  expect(reply.json()).toMatchObject({ run: { state: 'cancelled' } })
  const { execution_ids } = await until(run_id, 'cancelled')
  const execution = await daemon.get(`/api/executions/${execution_ids[0]}`)
  expect(execution.json()).toMatchObject({ execution: { state: 'cancelled' } })
  expect(readOrders(phone)).toBe(0)
})

test('a screenshot is written to the path in the command', async () => {
  const { run, phone } = await startWithPhone(`
    const { spawnSync } = require('node:child_process')
    const { readFileSync } = require('node:fs')
    const path = require('node:path').join(process.cwd(), 'shot.png')
    const reply = spawnSync(process.env.CLAWPERATOR_BIN, ['screenshot', '--path', path, '--device', process.argv[2]], { encoding: 'utf8' })
    const [step] = JSON.parse(reply.stdout).envelope.stepResults
    console.log(step.data.path === path, readFileSync(path).subarray(1, 4).toString())`)
  expect((await run({ serial: phone.serial })).stdout.text).toBe('true PNG\n')
})

test('invalid commands get an error code, version and devices an answer', async () => {
  const { run } = await startWithPhone(`
    const { spawnSync } = require('node:child_process')
    for (const args of [['dance'], ['click'], ['exec', '--payload', '{}'], ['exec', '--payload', '/no/file'], ['version'], ['devices']]) {
      const { status, stdout } = spawnSync('apprentice', args, { encoding: 'utf8' })
      const { code, version, devices } = JSON.parse(stdout)
      console.log(status, code ?? (version === undefined ? devices.length : 'version'))
    }`)
  expect((await run()).stdout.text.split('\n')).toEqual([
    '1 USAGE',
    '1 USAGE',
    '1 EXECUTION_VALIDATION_FAILED',
    '1 MISSING_ARGUMENT',
    '0 version',
    '0 1',
    '',
  ])
})

const declareVerification = (then: string): SkillSpec => ({
  scripts: { 'run.js': then },
  document: {
    contract: {
      inputs: { word: 'string' },
      goal: null,
      verification: { kind: 'node_text_matches', matcher: '{word}' },
    },
  },
})
const CLAIM_SCRIPT = buildResultScript({
  inputs: { word: 'Loud' },
  terminalVerification: { status: 'verified', observed: { kind: 'text', text: 'Loud' } },
})

test('with runtime_verification the screen decides, not the claim of the skill', async () => {
  const { run, phone } = await startWithPhone(declareVerification(buildCallingScript([OPEN], CLAIM_SCRIPT)))
  const request = { serial: phone.serial, args: ['Loud'] }

  expect(await run(request)).toMatchObject({
    state: 'success',
    outcome: { verification: { source: 'skill', status: 'verified', expected: 'Loud' } },
  })
  // The screen shows "Quiet".
  const unconfirmed = await run({ ...request, runtime_verification: true })
  expect(unconfirmed).toMatchObject({
    state: 'indeterminate',
    outcome: {
      verification: { source: 'runtime', status: 'not_verified', read_from: 'screen' },
      trouble: { code: 'SKILL_VERIFICATION_INDETERMINATE' },
    },
  })
  phone.setState(LAMP_APP, { saved: { word: 'Loud' } })
  expect(await run({ ...request, runtime_verification: true })).toMatchObject({
    state: 'success',
    outcome: { verification: { source: 'runtime', status: 'verified', observed: 'Loud' } },
  })
})

test('a recorded read after the last action verifies a run that left the screen', async () => {
  const read = {
    id: 'read',
    type: 'read_text',
    params: { matcher: { resourceId: `${LAMP_APP}:id/word` } },
  }
  const home = { id: 'home', type: 'press_key', params: { key: 'home' } }
  const script = (actions: object[]) => declareVerification(buildCallingScript(actions, CLAIM_SCRIPT))
  const away = { id: 'away', type: 'close_app', params: { applicationId: LAMP_APP } }
  const closed = await startWithPhone(script([OPEN, read, away]))
  closed.phone.setState(LAMP_APP, { saved: { word: 'Loud' } })
  const request = { serial: closed.phone.serial, args: ['Loud'], runtime_verification: true }
  expect(await closed.run(request)).toMatchObject({
    state: 'success',
    outcome: { verification: { source: 'runtime', read_from: 'recorded_read', observed: 'Loud' } },
  })
  expect(closed.phone.foreground()?.packageName).not.toBe(LAMP_APP)

  // Reads before the last action do not count.
  const acted = await startWithPhone(script([OPEN, read, home]))
  acted.phone.setState(LAMP_APP, { saved: { word: 'Loud' } })
  expect(await acted.run({ ...request, serial: acted.phone.serial })).toMatchObject({
    state: 'indeterminate',
    outcome: { verification: { status: 'not_verified' } },
  })
})

test('the token of a run allows only its own calls, and none after the run', async () => {
  const { start, until, read, daemon, phone } = await startWithPhone(
    buildCallingScript([OPEN], `setTimeout(() => {}, 1500)`),
  )
  const { run_id } = await start({ serial: phone.serial })
  await expect.poll(async () => (await read(run_id)).execution_ids.length).toBe(1)
  const keys = join(daemon.home, 'skill-runs', run_id, 'bin', 'run.json')
  const { token } = JSON.parse(readFileSync(keys, 'utf8')) as { token: string }
  const call = (id: string, secret: string) => daemon.post(`/api/skills/runs/${id}/call`, { argv: ['version'] }, secret)

  expect((await daemon.get('/api/devices', token)).json()).toMatchObject({
    error: { code: 'FORBIDDEN' },
  })
  expect((await daemon.post('/api/tokens', { user_id: 'x' }, token)).statusCode).toBe(403)
  expect((await call(run_id, token)).statusCode).toBe(200)
  expect((await call('00000000-0000-4000-8000-000000000000', token)).statusCode).toBe(404)
  expect((await call(run_id, adminToken)).json()).toMatchObject({
    error: { code: 'SKILL_RUN_NOT_FOUND' },
  })
  await until(run_id, 'success')
  expect((await call(run_id, token)).statusCode).toBe(401)
  expect(() => readFileSync(keys)).toThrow(/ENOENT/)
})
