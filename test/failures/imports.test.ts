import { importScenarios } from './scenarios-imports.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(importScenarios)
