import type { RunDay, RunFigures } from '@apprentice/contracts/abilities/run-figures.ts'
import { formatDuration } from '../parts/format.ts'
import { language, t } from '../text/text.ts'

const HEIGHT = 72
const BAR_WIDTH = 14
const GAP = 6

/** Runs per day as stacked bars by outcome, with the figures below. A screen reader gets a table instead. */
export function RunChart({ figures }: { readonly figures: RunFigures }) {
  const { days, median_success_ms, saved_ms } = figures
  const sum = (count: (day: RunDay) => number): number => days.reduce((total, day) => total + count(day), 0)
  const all = sum(countAll)
  if (all === 0) {
    return (
      <p class="hint">
        {t.overview.noRuns} <a href="/skills">{t.overview.teachFirst}</a>
      </p>
    )
  }
  const succeeded = sum(({ success }) => success)
  return (
    <figure class="chart">
      <Bars days={days} />
      <ul class="legend" aria-hidden="true">
        {(['good', 'busy', 'bad'] as const).map((tone) => (
          <li key={tone} class={tone}>
            {t.overview.outcomes[tone]}
          </li>
        ))}
      </ul>
      <dl class="figures">
        <div>
          <dt>{t.overview.rate}</dt>
          <dd>{Math.round((succeeded / all) * 100)} %</dd>
        </div>
        {median_success_ms !== undefined && (
          <div>
            <dt>{t.overview.median}</dt>
            <dd>{formatDuration(median_success_ms)}</dd>
          </div>
        )}
        <div title={t.overview.savedHint}>
          <dt>{t.overview.saved}</dt>
          <dd>{formatDuration(saved_ms)}</dd>
        </div>
      </dl>
    </figure>
  )
}

const countAll = ({ success, failed, indeterminate, cancelled }: RunDay): number =>
  success + failed + indeterminate + cancelled

function Bars({ days }: { readonly days: readonly RunDay[] }) {
  const highest = Math.max(1, ...days.map(countAll))
  const toHeight = (count: number): number => (count / highest) * HEIGHT
  return (
    <svg
      viewBox={`0 0 ${days.length * (BAR_WIDTH + GAP)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={[t.overview.chart(days.length), ...days.filter(countAll).map(describeDay)].join('. ')}
    >
      <line class="ground" x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} />
      {days.map((day, at) => {
        const parts = [
          ['good', day.success],
          ['busy', day.indeterminate],
          ['bad', day.failed + day.cancelled],
        ] as const
        let top = HEIGHT
        return (
          <g key={day.date} transform={`translate(${at * (BAR_WIDTH + GAP)} 0)`}>
            <title>{describeDay(day)}</title>
            <rect class="space" width={BAR_WIDTH} height={HEIGHT} />
            {parts.map(([tone, count]) => {
              top -= toHeight(count)
              return <rect key={tone} class={tone} width={BAR_WIDTH} y={top} height={toHeight(count)} />
            })}
          </g>
        )
      })}
    </svg>
  )
}

const describeDay = ({ date, success, indeterminate, failed, cancelled }: RunDay): string =>
  t.overview.day(
    new Date(`${date}T00:00:00`).toLocaleDateString(language, { day: 'numeric', month: 'short' }),
    success,
    indeterminate,
    failed + cancelled,
  )
