import { skillScenarios } from './scenarios-skills.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(skillScenarios)
