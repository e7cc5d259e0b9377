import { skillRunScenarios } from './scenarios-skill-runs.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(skillRunScenarios)
