import { useSignal } from '@preact/signals'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { useResource } from '../api/resource.ts'
import { Skeleton } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { chooseTone } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { formatName, t } from '../text/text.ts'
import { readRunSteps, type RunStep } from './run-steps.ts'

const LIVE_POLL_MS = 700
const ICONS: Readonly<Record<string, IconName>> = {
  succeeded: 'done',
  failed: 'failed',
  running: 'wait',
  skipped: 'skip',
  partial: 'alert',
}

/** The steps of a run with their state on the left, what the phone reported for the chosen one on the right. */
export function RunTrace({ run }: { readonly run: AbilityRun }) {
  const isLive = run.settled_at === undefined
  const chosen = useSignal<string | undefined>(undefined)
  const { data } = useResource(`${run.run_id}/${run.state}/${run.parts?.length ?? 0}`, () => readRunSteps(run), {
    changesWith: ['ability.run.', 'execution.'],
    ...(isLive && { pollMs: LIVE_POLL_MS }),
  })
  const steps = data.value
  if (steps === undefined) return <Skeleton rows={5} />
  if (steps.length === 0) return <p class="hint">{t.run.noSteps}</p>
  const step = steps.find(({ key }) => key === chosen.value) ?? chooseStep(steps)
  return (
    <div class="trace">
      <ol aria-label={t.run.steps}>
        {steps.map(({ key, name, state }) => (
          <li key={key}>
            <button
              type="button"
              class={`quiet step ${chooseTone(state)}`}
              aria-pressed={key === step?.key}
              onClick={() => (chosen.value = key)}
            >
              <Icon name={ICONS[state] ?? 'circle'} /> <span>{name}</span> <small>{formatName(state)}</small>
            </button>
          </li>
        ))}
      </ol>
      {step !== undefined && <Evidence step={step} />}
    </div>
  )
}

/** The failed step, else the running one, else the last that was executed. */
const chooseStep = (steps: readonly RunStep[]): RunStep | undefined =>
  steps.find(({ state }) => state === 'failed') ??
  steps.find(({ state }) => state === 'running') ??
  steps.findLast(({ state }) => state === 'succeeded') ??
  steps[0]

const Evidence = ({ step: { name, data } }: { readonly step: RunStep }) => (
  <section class="evidence" aria-label={t.run.evidence}>
    <h3>{name}</h3>
    <Facts facts={Object.entries(data).map(([key, value]) => [t.run.facts[key] ?? formatName(key), value] as const)} />
  </section>
)
