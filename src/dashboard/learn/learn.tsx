import { useTitle } from '../app/title.ts'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../text/text.ts'
import { ActiveView } from './active-view.tsx'
import { HistoryView } from './history-view.tsx'
import { NewView } from './new-view.tsx'
import { PendingView } from './pending-view.tsx'

const TABS = ['new', 'active', 'pending', 'history'] as const
type Tab = (typeof TABS)[number]

/** The page "Ability Learning" with its four tabs. */
export function Learn({ tab, id }: { readonly tab?: string; readonly id?: string }) {
  useTitle(t.learn.title)
  const open = TABS.find((name) => name === tab) ?? 'new'
  return (
    <>
      <h1>{t.learn.title}</h1>
      <Tabs
        label={t.learn.title}
        names={TABS}
        open={open}
        toHref={(name) => `/learn/${name}`}
        toLabel={(name) => t.learn.tabs[name]}
      />
      <div class="tab-body">
        <TabBody tab={open} id={id} />
      </div>
    </>
  )
}

function TabBody({ tab, id }: { readonly tab: Tab; readonly id: string | undefined }) {
  if (tab === 'active') return <ActiveView id={id} />
  if (tab === 'pending') return <PendingView proposalId={id} />
  if (tab === 'history') return <HistoryView />
  return <NewView />
}
