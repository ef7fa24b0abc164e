#!/usr/bin/env node
import '../dist/tektite.js';
