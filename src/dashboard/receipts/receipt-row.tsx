import { StateBadge, Time } from '../parts/basic.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatName, t } from '../text/text.ts'

interface ReceiptRowProps {
  readonly title: string
  /** What was used, in a few words. */
  readonly used?: string | undefined
  readonly state: string
  readonly at: string
  /** Fields of the receipt. Ids get a button to copy them. */
  readonly facts: Readonly<Record<string, string | undefined>>
}

/** A receipt in one line, with its details on request. */
export const ReceiptRow = ({ title, used, state, at, facts }: ReceiptRowProps) => (
  <li>
    <details class="panel">
      <summary>
        <StateBadge state={state} /> <span>{title}</span>
        {used !== undefined && <span class="chip">{used}</span>} <Time at={at} />
      </summary>
      <ReceiptFacts facts={facts} />
    </details>
  </li>
)

/** The fields of a receipt by their names for people. */
export const ReceiptFacts = ({ facts }: Pick<ReceiptRowProps, 'facts'>) => (
  <Facts
    facts={Object.entries(facts).map(([name, value]) => [
      t.receipts.facts[name] ?? formatName(name),
      value !== undefined && <Value name={name} value={value} />,
    ])}
  />
)

const Value = ({ name, value }: { readonly name: string; readonly value: string }) =>
  name.endsWith('_id') ? (
    <>
      <code>{value}</code> <CopyButton text={value} name={t.receipts.facts[name] ?? name} />
    </>
  ) : (
    <>{formatName(value)}</>
  )
