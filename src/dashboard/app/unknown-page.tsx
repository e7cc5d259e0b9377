import { useTitle } from './title.ts'
import { Empty } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

export function UnknownPage() {
  useTitle(t.nav.unknownPage)
  return (
    <Empty icon="help" title={t.nav.unknownPage}>
      <a href="/">{t.nav.toOverview}</a>
    </Empty>
  )
}
