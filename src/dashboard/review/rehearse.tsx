import { useSignal } from '@preact/signals'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { getSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { setTestPolicy } from '@apprentice/contracts/learn/sessions.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { requestMoreTests, validateProposal } from '@apprentice/contracts/learn/validation.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field } from '../parts/basic.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { Phone } from '../phone/phone.tsx'
import { formatName, t } from '../text/text.ts'
import { listInputs } from './review-inputs.ts'
import { PolicyForm } from './policy-form.tsx'

interface RehearseProps {
  readonly detail: ProposalDetail
  readonly reload: () => Promise<void>
}

/** Runs the draft on a phone with values to choose, under the policy of its session. The phone is beside it. */
export function Rehearse({ detail, reload }: RehearseProps) {
  const sessionId = detail.proposal.learn_session_id
  const session = useResource(`${sessionId ?? ''}/policy`, async () =>
    sessionId === undefined ? undefined : call(getSessionDetail, { params: { sessionId } }),
  )
  const devices = useResource('devices', () => call(listDevices)).data.value?.devices ?? []
  const serial = useSignal('')
  const values = useSignal<Readonly<Record<string, string>>>({})
  const isWatching = useSignal(false)
  const device =
    devices.find((one) => one.serial === serial.value) ??
    devices.find((one) => one.serial === session.data.value?.session.device_serial) ??
    devices[0]
  const needsPolicy = LOOKING_MODES.has(session.data.value?.test_policy?.mode)
  const isRunning = detail.allowed_actions.includes('cancel_validation')
  const contract = detail.allowed_actions.includes('validate') ? validateProposal : requestMoreTests
  const canStart = detail.allowed_actions.some((action) => action === 'validate' || action === 'request_more_tests')
  const start = (event: Event): void => {
    event.preventDefault()
    isWatching.value = true
    const inputs = readInputs(detail, values.value)
    const body = {
      wait_ms: 0,
      selected_tests: ['rehearsal'],
      ...(device !== undefined && { serial: device.serial }),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    }
    const rehearse = async (): Promise<void> => {
      if (needsPolicy && sessionId !== undefined) await allowRealRun(sessionId)
      await call(contract, { params: { proposalId: detail.proposal.proposal_id }, body })
    }
    void attempt(rehearse, async () => {
      await Promise.all([reload(), session.reload()])
    })
  }
  if (!canStart && !isRunning) return null
  return (
    <section class="part rehearse">
      <h4>{t.teach.rehearse.title}</h4>
      {session.data.value !== undefined && <PolicyForm detail={session.data.value} onSaved={session.reload} />}
      {devices.length === 0 && <p class="hint">{t.teach.rehearse.noDevice}</p>}
      <form onSubmit={start}>
        <p class="hint">{t.teach.rehearse.hint}</p>
        {listInputs(detail).map(({ name }) => (
          <Field key={name} label={formatName(name)}>
            <input
              value={values.value[name] ?? detail.examples[name] ?? ''}
              onInput={({ currentTarget }) => (values.value = { ...values.value, [name]: currentTarget.value })}
            />
          </Field>
        ))}
        {devices.length > 1 && (
          <Field label={t.teach.rehearse.device}>
            <select value={device?.serial ?? ''} onChange={({ currentTarget }) => (serial.value = currentTarget.value)}>
              {devices.map((one) => (
                <option key={one.serial} value={one.serial}>
                  {nameDevice(one)}
                </option>
              ))}
            </select>
          </Field>
        )}
        {canStart && (
          <button disabled={device === undefined}>
            {needsPolicy ? t.teach.rehearse.allowAndStart : t.teach.rehearse.start}
          </button>
        )}
      </form>
      {device !== undefined && (
        <details
          class="watch"
          open={isWatching.value}
          onToggle={({ currentTarget }) => (isWatching.value = currentTarget.open)}
        >
          <summary>{t.teach.rehearse.watch}</summary>
          {isWatching.value && <Phone key={device.serial} device={device} />}
        </details>
      )}
    </section>
  )
}

/** Under these modes nothing is done on a phone. No policy means the same. */
const LOOKING_MODES: ReadonlySet<TestPolicy['mode'] | undefined> = new Set([undefined, 'read_only', 'dry_run_only'])

/** The person pressed a button that says so. */
async function allowRealRun(sessionId: string): Promise<void> {
  const test_policy = { policy_id: crypto.randomUUID(), mode: 'controlled_live_test', schema_version: 1 } as const
  await call(setTestPolicy, { params: { sessionId }, body: { test_policy } })
}

/** Only values that differ from the demonstrated ones are sent, as the type of their input. */
function readInputs(detail: ProposalDetail, values: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    listInputs(detail).flatMap(({ name, type }): [string, unknown][] => {
      const value = values[name]
      if (value === undefined || value === '' || value === detail.examples[name]) return []
      if (type === 'number') return [[name, Number(value)]]
      return [[name, type === 'boolean' ? value === 'true' : value]]
    }),
  )
}
