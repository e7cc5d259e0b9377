import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { createRunClient } from './skill-daemon.ts'

const NOTES_APP = 'org.apprentice.notes'
const SCAFFOLD_ID = `${NOTES_APP}.look-around`

test('a skill that has just been begun runs as it is, and looks at its app', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  await daemon.listen()
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('the daemon brought no phone')
  await expect
    .poll(async () => (await daemon.get('/api/devices')).json())
    .toMatchObject({ devices: [{ serial: phone.serial, state: 'device' }] })
  const made = await daemon.post('/api/skills', { skill_id: SCAFFOLD_ID })
  expect(made.statusCode, made.body).toBe(201)

  const ended = await createRunClient(daemon).run({ serial: phone.serial }, SCAFFOLD_ID)
  expect(ended.stdout.text).toContain('<hierarchy')
  expect(ended.stdout.text).toContain(NOTES_APP)
  expect(ended.state, JSON.stringify(ended.outcome)).toBe('success')
  expect((await daemon.get('/api/devices')).json()).not.toHaveProperty('devices.0.lease')
})

test('a skill its registry finds fault with is not run, unless that is asked for', async () => {
  const daemon = await startDaemon()
  await daemon.post('/api/skills', { skill_id: SCAFFOLD_ID })
  const { skills } = daemon.system
  const placed = (await skills.catalog()).get(SCAFFOLD_ID)
  await rm(skills.absolute(placed, `skills/${SCAFFOLD_ID}/SKILL.md`))
  const refused = await daemon.post(`/api/skills/${SCAFFOLD_ID}/run`, {})
  expect([refused.statusCode, refused.json()]).toMatchObject([
    422,
    { error: { code: 'SKILL_VALIDATION_FAILED' } },
  ])
  const asked = await daemon.post(`/api/skills/${SCAFFOLD_ID}/run`, { skip_validation: true })
  expect(asked.statusCode).toBe(202)
})
