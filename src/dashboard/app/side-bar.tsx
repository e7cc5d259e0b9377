import { useLocation } from 'preact-iso'
import { Icon, type IconName } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface Entry {
  readonly href: string
  readonly icon: IconName
  readonly label: string
  /** The beginnings of other paths that belong to the entry. */
  readonly also?: readonly string[]
}

/** The entries of the digest. What has no page yet is not listed. */
export function SideBar() {
  const actions: readonly Entry[] = [{ href: '/learn/active', icon: 'activity', label: t.nav.active }]
  const abilities: readonly Entry[] = [
    { href: '/skills', icon: 'book', label: t.nav.skills, also: ['/registry', '/runs'] },
    { href: '/connectors', icon: 'connector', label: t.nav.connectors },
    { href: '/learn', icon: 'learn', label: t.nav.learn, also: ['/import'] },
  ]
  const others: readonly Entry[] = [
    { href: '/devices', icon: 'phone', label: t.nav.devices },
    { href: '/scenes', icon: 'scene', label: t.nav.scenes },
    { href: '/documents', icon: 'document', label: t.nav.documents },
    { href: '/receipts', icon: 'receipt', label: t.nav.receipts },
    { href: '/settings', icon: 'settings', label: t.nav.settings },
  ]
  return (
    <nav class="side" aria-label={t.nav.area}>
      <Entries entries={[{ href: '/', icon: 'overview', label: t.nav.overview }]} />
      <h2>{t.nav.actions}</h2>
      <Entries entries={actions} />
      <h2>{t.nav.abilities}</h2>
      <Entries entries={abilities} />
      <h2>{t.nav.more}</h2>
      <Entries entries={others} />
    </nav>
  )
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const { path } = useLocation()
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.href}>
          <a href={entry.href} aria-current={isCurrent(path, entry) ? 'page' : undefined} title={entry.label}>
            <Icon name={entry.icon} />
            <span>{entry.label}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The active sessions have an entry of their own, so Learn is not current there. */
function isCurrent(path: string, { href, also = [] }: Entry): boolean {
  if (href === '/' || href === '/learn/active') return path === href
  return [href, ...also].some((start) => path.startsWith(start)) && !path.startsWith('/learn/active')
}
