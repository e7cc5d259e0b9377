import * as abilityLookup from './abilities/lookup.ts'
import * as abilityLifecycle from './abilities/lifecycle.ts'
import * as lanes from './abilities/lanes.ts'
import * as availability from './abilities/availability.ts'
import * as installs from './abilities/installs.ts'
import * as abilityRuns from './abilities/runs.ts'
import * as runFigures from './abilities/run-figures.ts'
import * as capabilities from './capabilities/capability.ts'
import * as categories from './admin/categories.ts'
import * as connectorServers from './connectors/servers.ts'
import * as connectorProfiles from './connectors/auth-profiles.ts'
import * as connectorPolicy from './connectors/policy.ts'
import * as connectorReceipts from './connectors/receipts.ts'
import * as connectorAskFirst from './connectors/ask-first.ts'
import * as connectorChallenges from './connectors/challenges.ts'
import * as connectorContents from './connectors/m365/contents.ts'
import * as connectorDispatch from './connectors/dispatch.ts'
import * as connectorSignIn from './connectors/sign-in.ts'
import * as connectorVault from './connectors/vault.ts'
import * as documents from './documents/documents.ts'
import * as documentAdapter from './documents/adapter.ts'
import * as device from './devices/device.ts'
import * as apps from './devices/apps.ts'
import * as executions from './devices/executions.ts'
import * as deviceChecks from './devices/checks.ts'
import * as findElement from './devices/find-element.ts'
import * as screen from './devices/screen.ts'
import * as hosts from './devices/hosts.ts'
import * as preparation from './devices/preparation.ts'
import * as recording from './devices/recording.ts'
import * as compare from './devices/compare.ts'
import * as events from './admin/events.ts'
import * as health from './admin/health.ts'
import * as intents from './admin/intents.ts'
import * as learnFrom from './abilities/learn-from.ts'
import * as mining from './learn/mining.ts'
import * as coaching from './learn/coaching.ts'
import * as elements from './learn/elements.ts'
import * as understanding from './learn/understanding.ts'
import * as observation from './learn/observation.ts'
import * as practice from './learn/practice.ts'
import * as proposals from './learn/proposal.ts'
import * as proposalReview from './learn/proposal-review.ts'
import * as cleanups from './learn/cleanups.ts'
import * as followUps from './learn/follow-ups.ts'
import * as projectBindings from './projects/bindings.ts'
import * as receipts from './learn/receipts.ts'
import * as runtime from './learn/runtime.ts'
import * as sessions from './learn/sessions.ts'
import * as validation from './learn/validation.ts'
import * as recipes from './recipes/recipes.ts'
import type { AnyContract } from './base/route.ts'
import * as skillImports from './skills/imports.ts'
import * as skillRuns from './skills/runs.ts'
import * as skillRegistry from './skills/registry.ts'
import * as skillIndexes from './skills/indexes.ts'
import * as skillScaffold from './skills/scaffold.ts'
import * as skillValidation from './skills/validate.ts'
import * as scenes from './scenes/scenes.ts'
import * as sceneRuns from './scenes/runs.ts'
import * as sceneDispatch from './scenes/dispatch.ts'
import * as sceneGenerations from './scenes/generations.ts'
import * as policies from './admin/policies.ts'
import * as tokens from './admin/tokens.ts'

/** All routes in the order of the documentation. */
export const allRoutes: readonly AnyContract[] = [
  sessions,
  learnFrom,
  mining,
  runtime,
  observation,
  coaching,
  elements,
  understanding,
  practice,
  proposals,
  proposalReview,
  validation,
  cleanups,
  receipts,
  followUps,
  availability,
  abilityLookup,
  abilityLifecycle,
  lanes,
  installs,
  abilityRuns,
  runFigures,
  capabilities,
  device,
  apps,
  executions,
  recipes,
  skillImports,
  skillRuns,
  skillRegistry,
  skillScaffold,
  skillIndexes,
  skillValidation,
  scenes,
  sceneDispatch,
  sceneGenerations,
  sceneRuns,
  recording,
  compare,
  deviceChecks,
  findElement,
  screen,
  hosts,
  preparation,
  categories,
  intents,
  projectBindings,
  connectorServers,
  connectorProfiles,
  connectorPolicy,
  connectorReceipts,
  connectorSignIn,
  connectorChallenges,
  connectorAskFirst,
  connectorDispatch,
  connectorContents,
  connectorVault,
  documents,
  documentAdapter,
  policies,
  tokens,
  events,
  health,
].flatMap(listRoutes)

function listRoutes(module: Readonly<Record<string, unknown>>): AnyContract[] {
  return Object.values(module).filter(isContract)
}

function isContract(value: unknown): value is AnyContract {
  return typeof value === 'object' && value !== null && 'privilege' in value && 'reply' in value && 'url' in value
}
