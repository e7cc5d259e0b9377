import { expect, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { formatMarkdown } from './print-markdown.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const APP = 'org.apprentice.climate'
const resourceId = (name: string) => `${APP}:id/${name}`
const ROW = {
  resource_id: resourceId('unit'),
  containing: { text_equals: '${inputs.room}', annotation: 'USER_SPECIFIC' as const },
}

const setRoom: Recipe = {
  recipe_id: `${APP}.set-room`,
  recipe_version: '1.0.0',
  recipe_type: 'action',
  recipe_dialect: 2,
  application_id: APP,
  summary: 'Turn a room on and set its temperature',
  frameworks: ['views'],
  session_policy: 'fresh',
  app_build: { version_name: '2.4.1', version_code: 241 },
  tested_on: { android_api: 34 },
  capabilities: ['observe', 'navigate', 'click', 'toggle'],
  inputs: [
    { name: 'room', type: 'string', required: true },
    { name: 'degrees', type: 'number', required: true },
  ],
  outputs: [],
  dismissals: [{ text_equals: 'Later', annotation: 'STRUCTURAL' }],
  steps: [
    { id: 'open_room', type: 'scroll_and_click', selector: ROW },
    {
      id: 'power',
      type: 'set_checked',
      selector: { resource_id: resourceId('power') },
      params: { checked: true },
    },
    {
      id: 'degrees',
      type: 'adjust_until',
      params: {
        value: { class: 'android.widget.TextView', text_contains: '°C', annotation: 'STRUCTURAL' },
        target: '${inputs.degrees}',
        increase: { content_desc_equals: 'Warmer', annotation: 'STRUCTURAL' },
        decrease: { content_desc_equals: 'Colder', annotation: 'STRUCTURAL' },
      },
    },
    { id: 'save', type: 'click', selector: { resource_id: resourceId('save') } },
    { id: 'confirm', type: 'click', selector: { resource_id: 'android:id/button1' } },
  ],
  verification: [
    {
      id: 'temperature',
      selector: { resource_id: resourceId('unit_temperature') },
      container: ROW,
      number_equals: '${inputs.degrees}',
    },
  ],
}

async function runRecipe(daemon: Daemon, recipe: Recipe, inputs: object): Promise<ExecutionRecord> {
  const compiled = await daemon.post('/api/recipes/compile', {
    text: formatMarkdown(recipe),
    inputs,
  })
  expect(compiled.statusCode, compiled.body).toBe(200)
  const { execution } = compiled.json<{ execution: object }>()
  const ran = await daemon.post('/api/executions', { execution, wait_ms: 60_000 })
  expect(ran.statusCode, ran.body).toBe(200)
  return ran.json<{ execution: ExecutionRecord }>().execution
}

test('a compiled recipe changes the app and verifies the result on the phone', { timeout: 90_000 }, async () => {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  const record = await runRecipe(daemon, setRoom, { room: 'Meeting room 1', degrees: 22.5 })

  expect(record.envelope?.error ?? null).toBeNull()
  const phone = daemon.system.devices.phone.simulated
  const units = phone?.state(APP).saved['units']
  expect(units).toContainEqual(expect.objectContaining({ name: 'Meeting room 1', power: true, temperature: 22.5 }))
  const { stepResults = [] } = record.envelope ?? {}
  expect(stepResults.at(-1)).toMatchObject({ id: 'verify.temperature', success: true })
})

test(
  'an outcome that is not found fails the verification although all steps succeeded',
  { timeout: 90_000 },
  async () => {
    const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
    const unverifiable: Recipe = {
      ...setRoom,
      steps: setRoom.steps.slice(0, 1),
      verification: [
        {
          id: 'title',
          selector: { text_equals: 'Gone', annotation: 'STRUCTURAL' },
          timeout_ms: 500,
        },
      ],
      inputs: setRoom.inputs.slice(0, 1),
      capabilities: ['observe', 'navigate', 'click'],
    }
    const before = daemon.system.devices.phone.simulated?.state(APP).saved
    const record = await runRecipe(daemon, unverifiable, { room: 'Lobby' })

    expect(record).toMatchObject({ state: 'failed', envelope: { errorCode: 'VERIFY_FAILED' } })
    const { stepResults = [] } = record.envelope ?? {}
    expect(stepResults.map(({ success }) => success)).toEqual([true, true, true, false])
    expect(daemon.system.devices.phone.simulated?.state(APP).saved).toEqual(before)
  },
)
