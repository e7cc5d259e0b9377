import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { createRunClient } from './skill-daemon.ts'

const NOTES_APP = 'org.apprentice.notes'
const SCAFFOLD_ID = `${NOTES_APP}.look-around`

test('a scaffolded skill runs unchanged and prints a snapshot of its app', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  await daemon.listen()
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('the daemon brought no phone')
  await expect
    .poll(async () => (await daemon.get('/api/devices')).json())
    .toMatchObject({ devices: [{ serial: phone.serial, state: 'device' }] })
  const made = await daemon.post('/api/skills', { skill_id: SCAFFOLD_ID })
  expect(made.statusCode, made.body).toBe(201)

  const settled = await createRunClient(daemon).run({ serial: phone.serial }, SCAFFOLD_ID)
  expect(settled.stdout.text).toContain('<hierarchy')
  expect(settled.stdout.text).toContain(NOTES_APP)
  expect(settled.state, JSON.stringify(settled.outcome)).toBe('success')
  expect((await daemon.get('/api/devices')).json()).not.toHaveProperty('devices.0.lease')
})

test('an invalid skill runs only with skip_validation', async () => {
  const daemon = await startDaemon()
  await daemon.post('/api/skills', { skill_id: SCAFFOLD_ID })
  const { skills } = daemon.system
  const placed = (await skills.catalog()).get(SCAFFOLD_ID)
  await rm(skills.absolute(placed, `skills/${SCAFFOLD_ID}/SKILL.md`))
  const refused = await daemon.post(`/api/skills/${SCAFFOLD_ID}/run`, {})
  expect([refused.statusCode, refused.json()]).toMatchObject([422, { error: { code: 'SKILL_VALIDATION_FAILED' } }])
  const skipped = await daemon.post(`/api/skills/${SCAFFOLD_ID}/run`, {
    skip_validation: true,
    wait_ms: 20_000,
  })
  // Without a device the scaffolded script prints its usage.
  expect([skipped.statusCode, skipped.json()]).toMatchObject([
    200,
    { run: { outcome: { exit_code: 1 }, stderr: { text: expect.stringContaining('Usage:') } } },
  ])
})
