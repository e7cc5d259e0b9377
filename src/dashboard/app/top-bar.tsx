import { getReadiness } from '@apprentice/contracts/admin/health.ts'
import { useEffect } from 'preact/hooks'
import { call, reachable } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { language, setLanguage, t } from '../text/text.ts'
import { waitingCount } from '../overview/waiting.ts'
import { SearchButton } from './search-button.tsx'
import { setTheme, type Theme, theme } from './theme.ts'

const POLL_MS = 10_000
/** How often a daemon that does not answer is asked again. */
const RETRY_MS = 2000
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export const TopBar = () => (
  <header class="top">
    <a class="brand" href="/">
      <img src="/icon.svg" alt="" width="24" height="24" />
      <span>Apprentice</span>
    </a>
    <SearchButton />
    <Health />
    <WaitingLink />
    <LanguageSwitch />
    <ThemeSwitch />
  </header>
)

/** Whether the daemon and its parts work. When it does not answer, the page says so until it does. */
function Health() {
  const isDown = !reachable.value
  const { data } = useResource(isDown ? 'retry' : 'health', () => call(getReadiness), {
    pollMs: isDown ? RETRY_MS : POLL_MS,
  })
  const { status, ...parts } = data.value ?? {}
  useEffect(() => {
    // The style sheet dims the page while it cannot be current.
    document.documentElement.toggleAttribute('data-offline', isDown)
  }, [isDown])
  const details = Object.entries(parts).map(([name, { status: state, detail }]) => `${name}: ${detail ?? state}`)
  const isGood = !isDown && status === 'ok'
  return (
    <p id="health" class={isGood ? 'health good' : 'health bad'} role="status" title={details.join('\n')}>
      {(isDown || status !== undefined) && (
        <>
          <Icon name={isGood ? 'done' : 'alert'} />
          <span>{isDown ? t.nav.daemonDown : t.nav.daemon(status ?? '')}</span>
        </>
      )}
    </p>
  )
}

/** How much waits for the person, on every page. */
function WaitingLink() {
  const count = waitingCount.value
  if (count === 0) return null
  const name = t.overview.waitingCount(count)
  return (
    <a class="waiting-link" href="/" aria-label={name} title={name}>
      <Icon name="bell" /> {count}
    </a>
  )
}

function ThemeSwitch() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system'
  return (
    <button
      type="button"
      class="quiet"
      aria-label={t.nav.theme(t.nav.themes[theme.value])}
      onClick={() => setTheme(next)}
    >
      <Icon name="theme" />
    </button>
  )
}

const LanguageSwitch = () => (
  <button
    type="button"
    class="quiet"
    lang={language === 'de' ? 'en' : 'de'}
    onClick={() => setLanguage(language === 'de' ? 'en' : 'de')}
  >
    {language === 'de' ? 'English' : 'Deutsch'}
  </button>
)
