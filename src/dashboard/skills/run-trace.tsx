import { useSignal } from '@preact/signals'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { useResource } from '../api/resource.ts'
import { Skeleton } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { chooseTone } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { ScreenPicture } from '../phone/screen-picture.tsx'
import { formatName, t } from '../text/text.ts'
import { nameStep, readPictures, readRunSteps, type RunStep, type StepPictures } from './run-steps.ts'

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
  const pictures = useResource(`${run.run_id}/pictures/${run.state}/${steps?.length ?? 0}`, async () =>
    run.settled_at === undefined || steps === undefined ? undefined : readPictures(steps),
  )
  if (steps === undefined) return <Skeleton rows={5} />
  if (steps.length === 0) return <p class="hint">{t.run.noSteps}</p>
  const step = steps.find(({ key }) => key === chosen.value) ?? chooseStep(steps)
  return (
    <div class="trace">
      <ol aria-label={t.run.steps}>
        {steps.map(({ key, action_id, state }) => (
          <li key={key}>
            <button
              type="button"
              class={`quiet step ${chooseTone(state)}`}
              aria-pressed={key === step?.key}
              onClick={() => (chosen.value = key)}
            >
              <Icon name={ICONS[state] ?? 'circle'} /> <span>{nameStep(action_id)}</span>{' '}
              <small>{formatName(state)}</small>
            </button>
          </li>
        ))}
      </ol>
      {step !== undefined && <Evidence key={step.key} step={step} pictures={pictures.data.value?.get(step.key)} />}
    </div>
  )
}

/** The failed step, else the running one, else the last that was executed. */
const chooseStep = (steps: readonly RunStep[]): RunStep | undefined =>
  steps.find(({ state }) => state === 'failed') ??
  steps.find(({ state }) => state === 'running') ??
  steps.findLast(({ state }) => state === 'succeeded') ??
  steps[0]

/** A code that has no words for people is a technical detail. */
const isKnown = ([key, value]: readonly [string, string]): boolean =>
  t.run.facts[key] !== undefined && (key !== 'error' || t.run.troubles[value] !== undefined)

const toKnownFact = ([key, value]: readonly [string, string]) =>
  [t.run.facts[key] ?? key, t.run.troubles[value] ?? value] as const

/** What only somebody who mends the ability needs, as the engine reported it. */
const toOtherFact = ([key, value]: readonly [string, string]) => [key.replaceAll('_', ' '), value] as const

interface EvidenceProps {
  readonly step: RunStep
  readonly pictures: StepPictures | undefined
}

function Evidence({ step: { action_id, data }, pictures }: EvidenceProps) {
  const all = Object.entries(data)
  const others = all.filter((fact) => !isKnown(fact))
  return (
    <section class="evidence" aria-label={t.run.evidence}>
      <h3>{nameStep(action_id)}</h3>
      <div class="evidence-pictures">
        <Picture evidenceId={pictures?.before} words={t.run.screenBefore} point={pictures?.point} />
        <Picture evidenceId={pictures?.after} words={t.run.screenAfter} />
      </div>
      <Facts facts={all.filter(isKnown).map(toKnownFact)} />
      {others.length > 0 && (
        <details>
          <summary>{t.run.details}</summary>
          <div lang="en">
            <Facts facts={others.map(toOtherFact)} />
          </div>
        </details>
      )}
    </section>
  )
}

interface PictureProps {
  readonly evidenceId: string | undefined
  readonly words: string
  readonly point?: StepPictures['point']
}

function Picture({ evidenceId, words, point }: PictureProps) {
  if (evidenceId === undefined) return null
  return (
    <figure>
      <ScreenPicture key={evidenceId} evidenceId={evidenceId} label={words} touched={point} />
      <figcaption>{words}</figcaption>
    </figure>
  )
}
