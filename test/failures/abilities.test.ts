import { abilityScenarios } from './scenarios-abilities.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(abilityScenarios)
