import type { AdapterRules } from '../../domain/capture/adapters.ts'
import { abilityMirrors } from './abilities.ts'
import { capabilityMirrors } from './capabilities.ts'
import { categoryMirrors } from './categories.ts'
import { checkpointMirrors } from './checkpoints.ts'
import { configurationMirrors } from './configuration.ts'
import { ledgerMirrors } from './ledger.ts'
import { miningMirrors } from './mining.ts'
import type { Projection } from '../engine/projection.ts'
import { observationMirrors } from './observations.ts'
import { proposalMirrors } from './proposals.ts'
import { receiptMirrors } from './receipts.ts'
import { runtimeMirrors } from './runtime.ts'
import { sessionMirrors } from './sessions.ts'
import { skillImportMirrors } from './skill-imports.ts'
import { testPolicyMirrors } from './test-policies.ts'
import { traceMirrors } from './traces.ts'
import { validationMirrors } from './validation.ts'

/** Every mirror there is. The table in the README of the home is checked against this one. */
export const mirrorTable = (rules: AdapterRules): readonly Projection[] => [
  ...sessionMirrors,
  ...runtimeMirrors(rules),
  ...observationMirrors,
  ...proposalMirrors,
  ...testPolicyMirrors,
  ...validationMirrors,
  ...miningMirrors,
  ...checkpointMirrors,
  ...receiptMirrors,
  ...ledgerMirrors,
  ...traceMirrors,
  ...capabilityMirrors,
  ...abilityMirrors,
  ...skillImportMirrors,
  ...categoryMirrors,
  ...configurationMirrors,
]
