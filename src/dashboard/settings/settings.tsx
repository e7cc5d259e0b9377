import { listLogins } from '@apprentice/contracts/admin/tokens.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Integration } from '../capabilities/integration.tsx'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../text/text.ts'
import { CategorySettings } from './category-settings.tsx'
import { LoginList } from './login-list.tsx'
import { MiningPanel } from './mining-panel.tsx'
import { PolicyPanel } from './policy-panel.tsx'
import { RetentionPanel } from './retention-panel.tsx'
import { TokenList } from './token-list.tsx'

const TABS = ['access', 'policy', 'mining', 'retention', 'categories', 'integration'] as const
type Tab = (typeof TABS)[number]

/** What administrators and users can set. */
export function Settings({ tab }: { readonly tab?: string }) {
  useTitle(t.nav.settings)
  const open = TABS.find((name) => name === tab) ?? 'access'
  const { data, failure, reload } = useResource('logins', () => call(listLogins), { changesWith: ['access.'] })
  const isAdmin = data.value?.logins.find(({ current }) => current)?.privilege === 'admin'
  return (
    <>
      <h1>{t.nav.settings}</h1>
      <Tabs
        label={t.nav.settings}
        names={TABS}
        open={open}
        toHref={(name) => (name === 'access' ? '/settings' : `/settings/${name}`)}
        toLabel={(name) => t.settings.tabs[name]}
      />
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton />}
      {data.value !== undefined && open === 'access' && (
        <>
          {isAdmin && <TokenList />}
          <LoginList logins={data.value.logins} onChanged={reload} />
        </>
      )}
      {data.value !== undefined && open !== 'access' && <TabBody tab={open} isAdmin={isAdmin} />}
    </>
  )
}

function TabBody({ tab, isAdmin }: { readonly tab: Exclude<Tab, 'access'>; readonly isAdmin: boolean }) {
  if (tab === 'policy') return <PolicyPanel isAdmin={isAdmin} />
  if (tab === 'mining') return <MiningPanel isAdmin={isAdmin} />
  if (tab === 'retention') return <RetentionPanel />
  if (tab === 'integration') return <Integration isAdmin={isAdmin} />
  return <CategorySettings />
}
