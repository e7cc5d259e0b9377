import { useTitle } from '../app/title.ts'
import { Tabs } from '../parts/tabs.tsx'
import { further } from '../text/further.ts'
import { SceneHome } from './scene-home.tsx'
import { SceneProfiles } from './scene-profiles.tsx'
import { SceneRunList } from './scene-run-list.tsx'
import { SceneRunPage } from './scene-run-page.tsx'

const TABS = ['list', 'runs', 'profiles'] as const

/** Scripts for pages in a browser that yield reports: what is installed, what runs, and what they produced. */
export function ScenesPage({ tab, id }: { readonly tab?: string; readonly id?: string }) {
  return tab === 'runs' && id !== undefined ? <SceneRunPage key={id} runId={id} /> : <SceneTabs tab={tab} />
}

function SceneTabs({ tab }: { readonly tab: string | undefined }) {
  useTitle(further.scenes.title)
  const open = TABS.find((name) => name === tab) ?? 'list'
  return (
    <>
      <h1>{further.scenes.title}</h1>
      <Tabs
        label={further.scenes.title}
        names={TABS}
        open={open}
        toHref={(name) => (name === 'list' ? '/scenes' : `/scenes/${name}`)}
        toLabel={(name) => further.scenes.tabs[name]}
      />
      {open === 'list' && <SceneHome />}
      {open === 'runs' && <SceneRunList />}
      {open === 'profiles' && <SceneProfiles />}
    </>
  )
}
