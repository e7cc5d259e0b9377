import { Tabs } from '../parts/tabs.tsx'
import { t } from '../text/text.ts'

const HREFS = { installed: '/skills', registry: '/registry' } as const

/** Installed abilities, and the skills in the folders of the registry. */
export const SkillTabs = ({ open }: { readonly open: keyof typeof HREFS }) => (
  <Tabs
    label={t.nav.skills}
    names={['installed', 'registry'] as const}
    open={open}
    toHref={(name) => HREFS[name]}
    toLabel={(name) => t.skills.tabs[name]}
  />
)
