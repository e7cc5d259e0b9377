import { ErrorBoundary, lazy, LocationProvider, Route, Router } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { followChanges } from '../api/changes.ts'
import { startSession } from '../learn/current-session.ts'
import { t } from '../text/text.ts'
import { Notices } from './notices.tsx'
import { ObservationBanner } from './observation-banner.tsx'
import { SideBar } from './side-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { UnknownPage } from './unknown-page.tsx'

const Overview = lazy(() => import('../overview/overview.tsx').then((view) => view.Overview))
const Learn = lazy(() => import('../learn/learn.tsx').then((view) => view.Learn))
const Devices = lazy(() => import('../devices/devices.tsx').then((view) => view.Devices))
const Import = lazy(() => import('../imports/import-page.tsx').then((view) => view.ImportPage))
const Skills = lazy(() => import('../skills/skills.tsx').then((view) => view.Skills))
const Ability = lazy(() => import('../skills/ability-page.tsx').then((view) => view.AbilityPage))

export function App() {
  useEffect(() => {
    void followChanges()
    startSession()
  }, [])
  return (
    <LocationProvider>
      <a class="skip" href="#content">
        {t.nav.skip}
      </a>
      <TopBar />
      <div class="frame">
        <SideBar />
        <div class="page">
          <ObservationBanner />
          <main id="content" tabIndex={-1}>
            <ErrorBoundary>
              <Router>
                <Route path="/" component={Overview} />
                <Route path="/learn/:tab?/:id?" component={Learn} />
                <Route path="/skills" component={Skills} />
                <Route path="/skills/:id/:tab?" component={Ability} />
                <Route path="/devices/:serial?" component={Devices} />
                <Route path="/import/:id?" component={Import} />
                <Route default component={UnknownPage} />
              </Router>
            </ErrorBoundary>
          </main>
        </div>
      </div>
      <Notices />
    </LocationProvider>
  )
}
