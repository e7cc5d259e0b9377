import { useTitle } from '../app/title.ts'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../text/text.ts'
import { ConnectorReceipts } from './connector-receipts.tsx'
import { LearningReceipts } from './learning-receipts.tsx'
import { UseReceipts } from './use-receipts.tsx'

const TABS = ['use', 'connectors', 'learning'] as const

/** What was done and decided, by whom, as it was recorded. */
export function ReceiptsPage({ tab }: { readonly tab?: string }) {
  useTitle(t.receipts.title)
  const open = TABS.find((name) => name === tab) ?? 'use'
  return (
    <>
      <h1>{t.receipts.title}</h1>
      <Tabs
        label={t.receipts.title}
        names={TABS}
        open={open}
        toHref={(name) => (name === 'use' ? '/receipts' : `/receipts/${name}`)}
        toLabel={(name) => t.receipts.tabs[name]}
      />
      {open === 'use' && <UseReceipts />}
      {open === 'connectors' && <ConnectorReceipts />}
      {open === 'learning' && <LearningReceipts />}
    </>
  )
}
