import { useSignal } from '@preact/signals'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import { getSkill } from '@apprentice/contracts/skills/registry.ts'
import { listSkillRuns, runSkill, type SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { validateSkill } from '@apprentice/contracts/skills/validate.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { nameDevice } from '../phone/name-device.ts'
import { sayFailure } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'

/** One skill of the registry: what it is, whether it is complete, and the runs of its script. */
export function RegistrySkill({ skillId }: { readonly skillId: string }) {
  const params = { skillId }
  const { data, failure, reload } = useResource(skillId, () => call(getSkill, { params }))
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { skill, description, type } = data.value
  const validate = () =>
    attempt(async () => {
      await call(validateSkill, { params, body: {} })
      notify(t.registry.valid)
    })
  return (
    <div class="wide">
      {description !== undefined && <p>{description}</p>}
      <Facts
        facts={[
          [t.registry.app, skill.applicationId],
          [t.registry.intent, skill.intent],
          [t.registry.type, type && formatName(type)],
          [t.registry.scripts, skill.scripts.join(', ')],
          [t.registry.artifacts, skill.artifacts.join(', ')],
        ]}
      />
      <button type="button" onClick={() => void validate()}>
        {t.registry.validate}
      </button>
      {skill.scripts.length > 0 && <ScriptRuns skillId={skillId} />}
    </div>
  )
}

function ScriptRuns({ skillId }: { readonly skillId: string }) {
  const params = { skillId }
  const devices = useResource('devices', () => call(listDevices)).data.value?.devices ?? []
  const serial = useSignal('')
  const args = useSignal('')
  const { data, reload } = useResource(`${skillId}/runs`, () => call(listSkillRuns, { params, query: {} }), {
    changesWith: ['skill.run', 'skill.'],
    pollMs: 3000,
  })
  const start = (event: Event) => {
    event.preventDefault()
    const lines = args.value.split('\n').filter((line) => line !== '')
    const body = { args: lines, ...(serial.value !== '' && { serial: serial.value }) }
    return attempt(() => call(runSkill, { params, body }), reload)
  }
  return (
    <>
      <form onSubmit={(event) => void start(event)}>
        <Field label={t.registry.args}>
          <textarea rows={2} value={args.value} onInput={({ currentTarget }) => (args.value = currentTarget.value)} />
        </Field>
        <Field label={t.setup.device}>
          <select value={serial.value} onChange={({ currentTarget }) => (serial.value = currentTarget.value)}>
            <option value="">{t.registry.noPhone}</option>
            {devices.map((device) => (
              <option key={device.serial} value={device.serial}>
                {nameDevice(device)}
              </option>
            ))}
          </select>
        </Field>
        <button class="primary">{t.registry.run}</button>
      </form>
      {(data.value?.runs.length ?? 0) > 0 && <h3>{t.registry.runs}</h3>}
      <ul class="plain">
        {data.value?.runs.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </ul>
    </>
  )
}

const RunRow = ({ run: { state, created_at, outcome, stdout, stderr } }: { readonly run: SkillRun }) => (
  <li>
    <details>
      <summary>
        <StateBadge state={state} /> <Time at={created_at} />{' '}
        <small>{outcome?.trouble && sayFailure(outcome.trouble)}</small>
      </summary>
      <pre aria-label={t.registry.output}>{`${stdout.text}${stderr.text}`}</pre>
    </details>
  </li>
)
