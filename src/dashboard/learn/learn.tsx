import { useTitle } from '../app/title.ts'
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
      <nav class="tabs" aria-label={t.learn.title}>
        {TABS.map((name) => (
          <a key={name} href={`/learn/${name}`} aria-current={name === open ? 'page' : undefined}>
            {t.learn.tabs[name]}
          </a>
        ))}
      </nav>
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
