import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { getDetail, type DraftedProposal, getRuns } from './drafts.ts'

const CLIMATE = 'org.apprentice.climate'

async function execute(daemon: Daemon, ...actions: object[]): Promise<void> {
  for (const action of actions) {
    const reply = await daemon.post('/api/executions', {
      execution: {
        commandId: randomUUID(),
        taskId: 't',
        source: 'test',
        expectedFormat: 'android-ui-automator',
        timeoutMs: 30_000,
        actions: [{ id: 'a', ...action }],
      },
      wait_ms: 30_000,
    })
    expect(reply.json(), reply.body).toMatchObject({ execution: { state: 'succeeded' } })
  }
}

const tap = (matcher: object) => ({ type: 'click', params: { matcher } })

/** Demonstrates once on the phone how a unit is set two steps warmer, optionally with a detour before. */
async function demonstrate(daemon: Daemon, serial: string, detour: readonly object[] = []): Promise<DraftedProposal> {
  const made = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: serial,
  })
  const session = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const url = `/api/learn/sessions/${session}`
  await daemon.post(`${url}/start`, { text_capture_consent: true })
  await execute(
    daemon,
    { type: 'open_app', params: { applicationId: CLIMATE } },
    ...detour,
    tap({ textEquals: 'Reception' }),
    tap({ contentDescEquals: 'Warmer' }),
    tap({ contentDescEquals: 'Warmer' }),
    tap({ textEquals: 'Save' }),
    tap({ resourceId: 'android:id/button1' }),
  )
  await daemon.post(`${url}/mark-goal`, { goal_description: 'Set the temperature of a unit' })
  await daemon.post(`${url}/stop`)
  await daemon.post(`${url}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test', max_actions: 60 },
  })
  const proposed = await daemon.post(`${url}/generate-proposal`)
  expect(proposed.statusCode, proposed.body).toBe(201)
  const proposal = proposed.json<{ proposal_id: string }>().proposal_id
  return { session, proposal, url: `/api/learn/proposals/${proposal}` }
}

const readInputs = (detail: ProposalDetail) => (detail.recipe as unknown as Recipe).inputs

async function startWithPhone() {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  return { daemon, phone }
}

test('one demonstration is drafted, revised, rehearsed with other values and ready for review', async () => {
  const { daemon, phone } = await startWithPhone()
  const draft = await demonstrate(daemon, phone.serial)

  const detail = await getDetail(daemon, draft)
  expect(detail.checkpoint_lint_report?.findings).toEqual([])
  expect(detail.review).toBeDefined()
  const names = readInputs(detail).map(({ name }) => name)
  expect(Object.keys(detail.examples).toSorted()).toEqual(names.toSorted())
  const unit = names.find((name) => detail.examples[name] === 'Reception') ?? ''
  const [degrees = ''] = names.filter((name) => name !== unit)
  const skill = (await daemon.get(`${draft.url}/files/SKILL.md`)).json<{ content: string }>()
  expect(skill.content).not.toContain('Reception')

  const revised = await daemon.post(`${draft.url}/revise`, {
    edited_fields: { inputs: [{ name: unit, rename_to: 'room', summary: 'Which room' }] },
  })
  expect(revised.statusCode, revised.body).toBe(200)
  const renamed = revised.json<ProposalDetail>()
  expect(readInputs(renamed).map(({ name }) => name)).toContain('room')
  expect(renamed.examples).toMatchObject({ room: 'Reception' })
  expect(JSON.stringify(renamed.recipe)).toContain('${inputs.room}')
  expect(JSON.stringify(renamed.recipe)).not.toContain(`\${inputs.${unit}}`)

  const tested = await daemon.post(`${draft.url}/validate`, {
    inputs: { room: 'Kitchen', [degrees]: 18.5 },
    wait_ms: 90_000,
  })
  expect(tested.statusCode, tested.body).toBe(200)
  const { validation_run } = tested.json<{ validation_run: ValidationRun }>()
  const { steps } = await getRuns(daemon, draft)
  const notPassed = steps.filter(({ result }) => result !== 'passed')
  expect(validation_run, JSON.stringify(notPassed)).toMatchObject({
    run_kind: 'rehearsal',
    overall_result: 'passed',
  })
  const { units } = phone.state(CLIMATE).saved as unknown as {
    units: { name: string; temperature: number }[]
  }
  const temperatures = Object.fromEntries(units.map((room) => [room.name, room.temperature]))
  expect(temperatures).toMatchObject({ Kitchen: 18.5, Reception: 23.5, Lobby: 21 })
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
})

test('pruned events of a demonstration are listed with a reason and can be kept by a revision', async () => {
  const { daemon, phone } = await startWithPhone()
  const detour = [tap({ textEquals: 'Lobby' }), { type: 'press_key', params: { key: 'back' } }]
  const draft = await demonstrate(daemon, phone.serial, detour)
  const listDetours = ({ review }: ProposalDetail) =>
    ((review?.['pruned'] ?? []) as { event_ids: string[]; reason: string }[]).filter(
      ({ reason }) => reason === 'detour',
    )
  const before = await getDetail(daemon, draft)
  const [pruned] = listDetours(before)
  expect(pruned?.event_ids).toHaveLength(2)

  const revised = await daemon.post(`${draft.url}/revise`, {
    edited_fields: { keep_event_ids: pruned?.event_ids },
  })
  expect(listDetours(revised.json<ProposalDetail>())).toEqual([])
  expect(revised.json<ProposalDetail>().draft_hash).not.toBe(before.draft_hash)

  const undone = await daemon.post(`${draft.url}/revise`, { edited_fields: { keep_event_ids: [] } })
  expect(undone.json<ProposalDetail>().draft_hash).toBe(before.draft_hash)
})
