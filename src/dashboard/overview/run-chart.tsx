import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import { language, t } from '../text/text.ts'

const DAYS = 14
const DAY_MS = 86_400_000
const HEIGHT = 72
const BAR_WIDTH = 14
const GAP = 6

interface Day {
  readonly label: string
  readonly succeeded: number
  readonly others: number
}

/** Runs per day as stacked bars by outcome. The table below says the same to a screen reader. */
export function RunChart({ receipts }: { readonly receipts: readonly CapabilityUseReceipt[] }) {
  if (receipts.length === 0) return <p class="hint">{t.overview.noRuns}</p>
  const days = countByDay(receipts, Date.now())
  const highest = Math.max(1, ...days.map(({ succeeded, others }) => succeeded + others))
  const succeeded = receipts.filter(({ result }) => result === 'success').length
  const toHeight = (count: number): number => (count / highest) * HEIGHT
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${DAYS * (BAR_WIDTH + GAP)} ${HEIGHT}`} role="img" aria-label={t.overview.chart(DAYS)}>
        {days.map((day, at) => (
          <g key={day.label} transform={`translate(${at * (BAR_WIDTH + GAP)} 0)`}>
            <title>{t.overview.day(day.label, day.succeeded, day.others)}</title>
            <rect
              class="good"
              width={BAR_WIDTH}
              y={HEIGHT - toHeight(day.succeeded)}
              height={toHeight(day.succeeded)}
              rx="2"
            />
            <rect
              class="bad"
              width={BAR_WIDTH}
              y={HEIGHT - toHeight(day.succeeded + day.others)}
              height={toHeight(day.others)}
              rx="2"
            />
          </g>
        ))}
      </svg>
      <figcaption>{t.overview.rate(succeeded, receipts.length)}</figcaption>
    </figure>
  )
}

function countByDay(receipts: readonly CapabilityUseReceipt[], now: number): readonly Day[] {
  return Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(now - (DAYS - 1 - at) * DAY_MS).toLocaleDateString(language)
    const own = receipts.filter(({ created_at }) => new Date(created_at).toLocaleDateString(language) === day)
    const succeeded = own.filter(({ result }) => result === 'success').length
    return { label: day, succeeded, others: own.length - succeeded }
  })
}
