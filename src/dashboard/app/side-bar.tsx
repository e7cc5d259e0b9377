import { useLocation } from 'preact-iso'
import { Icon, type IconName } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface Entry {
  readonly href: string
  readonly icon: IconName
  readonly label: string
}

/** The entries of the digest. What has no page yet is not listed. */
export function SideBar() {
  const actions: readonly Entry[] = [
    { href: '/', icon: 'overview', label: t.nav.overview },
    { href: '/learn/active', icon: 'activity', label: t.nav.active },
  ]
  const abilities: readonly Entry[] = [
    { href: '/skills', icon: 'book', label: t.nav.skills },
    { href: '/learn', icon: 'learn', label: t.nav.learn },
    { href: '/devices', icon: 'phone', label: t.nav.devices },
  ]
  return (
    <nav class="side" aria-label={t.nav.area}>
      <h2>{t.nav.actions}</h2>
      <Entries entries={actions} />
      <h2>{t.nav.abilities}</h2>
      <Entries entries={abilities} />
    </nav>
  )
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const { path } = useLocation()
  return (
    <ul>
      {entries.map(({ href, icon, label }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent(path, href) ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{label}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The active sessions have an entry of their own, so Learn is not current there. */
function isCurrent(path: string, href: string): boolean {
  if (href === '/' || href === '/learn/active') return path === href
  return path.startsWith(href) && !path.startsWith('/learn/active')
}
