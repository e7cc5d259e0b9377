import { useTitle } from './title.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

export function UnknownPage() {
  useTitle(t.nav.unknownPage)
  return (
    <div class="empty">
      <Icon name="help" size={32} />
      <h1>{t.nav.unknownPage}</h1>
      <a href="/">{t.nav.toOverview}</a>
    </div>
  )
}
