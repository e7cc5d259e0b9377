import { ErrorBoundary, lazy, LocationProvider, Route, Router } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { followChanges } from '../api/changes.ts'
import { startApprovals } from '../connectors/approval-list.ts'
import { startWaiting } from '../overview/waiting.ts'
import { startSession } from '../learn/current-session.ts'
import { t } from '../text/text.ts'
import { Notices } from './notices.tsx'
import { ObservationBanner } from './observation-banner.tsx'
import { startPrivilege } from './privilege.ts'
import { SideBar } from './side-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { UnknownPage } from './unknown-page.tsx'

const Overview = lazy(() => import('../overview/overview.tsx').then((view) => view.Overview))
const Learn = lazy(() => import('../learn/learn.tsx').then((view) => view.Learn))
const Devices = lazy(() => import('../devices/devices.tsx').then((view) => view.Devices))
const Import = lazy(() => import('../imports/import-page.tsx').then((view) => view.ImportPage))
const Skills = lazy(() => import('../skills/skills.tsx').then((view) => view.Skills))
const Registry = lazy(() => import('../registry/registry-page.tsx').then((view) => view.RegistryPage))
const Connectors = lazy(() => import('../connectors/connectors-page.tsx').then((view) => view.ConnectorsPage))
const Scenes = lazy(() => import('../scenes/scenes-page.tsx').then((view) => view.ScenesPage))
const Documents = lazy(() => import('../documents/documents-page.tsx').then((view) => view.DocumentsPage))
const Run = lazy(() => import('../skills/run-page.tsx').then((view) => view.RunPage))
const Receipts = lazy(() => import('../receipts/receipts-page.tsx').then((view) => view.ReceiptsPage))
const Settings = lazy(() => import('../settings/settings.tsx').then((view) => view.Settings))
const Ability = lazy(() => import('../skills/ability-page.tsx').then((view) => view.AbilityPage))

export function App() {
  useEffect(() => {
    void followChanges()
    startSession()
    startPrivilege()
    startWaiting()
    startApprovals()
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
                <Route path="/runs/:id" component={Run} />
                <Route path="/registry/:id?" component={Registry} />
                <Route path="/connectors/:tab?/:id?" component={Connectors} />
                <Route path="/scenes/:tab?/:id?" component={Scenes} />
                <Route path="/documents" component={Documents} />
                <Route path="/devices/:serial?" component={Devices} />
                <Route path="/receipts/:tab?" component={Receipts} />
                <Route path="/settings/:tab?" component={Settings} />
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
